import { diskFiles, ErrorCode, PortolanError, randomKey, writeFile } from '../base/index.js';
import { readSecretRecords, recordsText, type SecretRecord, sameSource } from './secret-records.js';

/** The files of stored values: the records, and the key with which values are encrypted if there is no key store. */
export interface SecretFiles {
  readonly records: string;
  readonly key: string;
}

/** The part of a key store that is used. */
export interface KeyStore {
  set(id: string, value: string): Promise<void>;
  get(id: string): Promise<string | undefined>;
}

type NewSecret = Omit<SecretRecord, 'id' | 'store' | 'sealed' | 'revision'>;

const SERVICE = 'portolan';
/** A key store may ask the user to unlock it. */
const KEY_STORE_MS = 30_000;
const ID_CHARACTERS = 32;
const REVISION_CHARACTERS = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The key store of the system; undefined if there is none. On Linux the kernel's key ring does not outlive a restart,
 * so it is not used.
 */
export async function systemKeyStore(): Promise<KeyStore | undefined> {
  const keyring = await import('@napi-rs/keyring').catch(() => undefined);
  if (!keyring) return undefined;
  const entry = (id: string) => new keyring.AsyncEntry(SERVICE, id, { linux: { store: 'secret-service' } });
  const limit = () => AbortSignal.timeout(KEY_STORE_MS);
  return {
    set: (id, value) => entry(id).setPassword(value, limit()),
    get: async (id) => (await entry(id).getPassword(limit())) ?? undefined,
  };
}

/** Stores a value and returns its record. An earlier value for the same entry and name is replaced. */
export async function storeSecret(
  secret: NewSecret,
  value: string,
  files: SecretFiles,
  keyStore: KeyStore | undefined,
): Promise<SecretRecord> {
  const known = readSecretRecords(files.records, diskFiles);
  const isSame = (one: SecretRecord) =>
    one.server === secret.server && one.name === secret.name && sameSource(one.source, secret.source);
  const id = known.find(isSame)?.id ?? randomKey().slice(0, ID_CHARACTERS);
  const isKept = keyStore !== undefined && (await isStored(keyStore, id, value));
  const revision = randomKey().slice(0, REVISION_CHARACTERS);
  const record: SecretRecord = isKept
    ? { id, ...secret, revision, store: 'key store' }
    : { id, ...secret, revision, store: 'encrypted file', sealed: encrypt(value, id, await ownKey(files.key)) };
  const others = known.filter((one) => one.id !== id);
  await writeFile(files.records, recordsText([...others, record]), { refuseLinks: true });
  return record;
}

/** Read back, because a key store may accept a value and not keep it. Access may also be denied, as in containers. */
async function isStored(keyStore: KeyStore, id: string, value: string): Promise<boolean> {
  try {
    await keyStore.set(id, value);
    return (await keyStore.get(id)) === value;
  } catch {
    return false;
  }
}

/** The value of a record; undefined if it is lost. */
export async function readSecret(
  { id, store, sealed }: SecretRecord,
  { key }: SecretFiles,
  keyStore: () => Promise<KeyStore | undefined>,
): Promise<string | undefined> {
  if (store === 'key store') return (await keyStore())?.get(id).catch(() => undefined);
  const reading = diskFiles.read(key);
  return sealed === undefined || reading.kind !== 'read' ? undefined : decrypt(sealed, id, reading.text.trim());
}

/** The key of the encrypted file; created on first use. */
async function ownKey(path: string): Promise<string> {
  const reading = diskFiles.read(path);
  if (reading.kind === 'read' && /^[0-9a-f]{64}\s*$/.test(reading.text)) return reading.text.trim();
  if (reading.kind !== 'absent')
    throw new PortolanError(ErrorCode.WriteRefused, `${path} is not the key of the stored values`, {
      hint: 'remove the file, and store each value again with `portolan set <server> <name>`',
    });
  const key = randomKey();
  await writeFile(path, `${key}\n`, { refuseLinks: true, from: { bytes: undefined } });
  return key;
}

function encrypt(value: string, id: string, key: string): string {
  const { createCipheriv, randomBytes } = process.getBuiltinModule('node:crypto');
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'hex'), iv).setAAD(Buffer.from(id));
  const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
}

function decrypt(sealed: string, id: string, key: string): string | undefined {
  const { createDecipheriv } = process.getBuiltinModule('node:crypto');
  try {
    const bytes = Buffer.from(sealed, 'base64');
    const cipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'hex'), bytes.subarray(0, IV_BYTES));
    cipher.setAAD(Buffer.from(id)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([cipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), cipher.final()]).toString('utf8');
  } catch {
    return undefined; // another key, or a changed record
  }
}
