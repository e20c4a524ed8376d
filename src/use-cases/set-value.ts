import { ErrorCode, nearest, PortolanError } from '../base/index.js';
import { type EditedFile, editFile, setEntry } from '../config-edit/index.js';
import { configFolder, type Discovery, secretFiles } from '../discovery/index.js';
import type { Definition, Host } from '../model/index.js';
import { isFromRepository } from '../policy/index.js';
import { type KeyStore, type SecretRecord, secretReference, storeSecret, systemKeyStore } from '../secrets/index.js';
import { clientFileOf, type EntryField, findEntryField } from '../sources/index.js';
import { serverNamed } from './explain.js';
import { missingValues } from './missing-values.js';
import { launchHash } from './stored-references.js';

/** What storing a value would do. */
export interface SetPlan {
  readonly server: string;
  readonly name: string;
  readonly kind: 'input' | 'variable' | 'header';
  readonly source: string;
  readonly line: number;
  /** The place in the file that will refer to the value; absent if the entry already has a reference to this name. */
  readonly edit?: EntryField;
}

export interface SetResult extends Omit<SetPlan, 'edit'> {
  readonly store: SecretRecord['store'];
  readonly file?: EditedFile;
}

/** Plans to store a value of a server. Asks nothing and changes nothing. */
export async function planSet(discovery: Discovery, wanted: string, name: string): Promise<SetPlan | undefined> {
  const server = serverNamed(wanted, discovery);
  if (!server) return undefined;
  const { definition } = server;
  const { source, line } = definition;
  const known = missingValues(server.name, definition, discovery.host).find((one) => one.name === name);
  const kind = known?.kind ?? (definition.url === undefined ? 'variable' : 'header');
  const plan = { server: server.name, name, kind, source, line };
  if (refersTo(definition, name)) return plan;
  const edit = await findEntryField(definition, kind === 'header' ? 'headers' : 'env', name, discovery.host);
  if (edit) return { ...plan, edit };
  const names = [
    ...missingValues(server.name, definition, discovery.host).map((one) => one.name),
    ...Object.keys(definition.env ?? {}),
  ];
  const [near] = nearest(name, names, 1);
  throw new PortolanError(ErrorCode.EditRefused, `${source} has no place for ${name} that Portolan can edit`, {
    hint: `${near === undefined ? '' : `did you mean ${near}? Otherwise `}write the value in the entry as a reference to a variable ${name}, in the notation of ${definition.client}, and run this command again`,
  });
}

/** Whether the entry contains a reference to a variable or input of this name. */
function refersTo({ inputs = [], missing = [], written }: Definition, name: string): boolean {
  if (inputs.some(({ id }) => id === name) || missing.includes(name)) return true;
  const texts = [...Object.values(written.env ?? {}), ...Object.values(written.headers ?? {}), ...(written.args ?? [])];
  const escaped = name.replaceAll(/[^\w]/g, String.raw`\$&`);
  return texts.some((text) =>
    new RegExp(String.raw`\{(?:env:|input:)?${escaped}(?::-[^}]*)?\}|\$${escaped}\b`).test(text),
  );
}

/** Stores the value and refers to it from the entry. The value is in no argument, file or output. */
export async function applySet(
  plan: SetPlan,
  value: string,
  discovery: Discovery,
  keyStore: () => Promise<KeyStore | undefined> = keyStoreFor(discovery.host),
): Promise<SetResult> {
  const { edit, ...facts } = plan;
  const { host } = discovery;
  const server = serverNamed(plan.server, discovery);
  if (!server) throw new Error(`the server ${plan.server} was not found in this scan`);
  const { definition } = server;
  const record = await storeSecret(
    {
      server: definition.name,
      // A take-over moves the entry to another file, and undoing it moves the entry back.
      source: clientFileOf(definition.source),
      name: plan.kind === 'input' ? `input:${plan.name}` : plan.name,
      ...(isFromRepository(definition, host) && { launch: launchHash(definition) }),
    },
    value,
    secretFiles(host, configFolder(host)),
    await keyStore(),
  );
  const refuseLinks = isFromRepository(definition, host);
  // The copy of a take-over is a backup itself, with the secrets of the file.
  const isCopy = clientFileOf(plan.source) !== plan.source;
  const file = edit
    ? await editFile(
        plan.source,
        (text) => setEntry(text, edit.format, { path: edit.path }, secretReference(record.id)),
        { refuseLinks, ...(isCopy && { backup: false }) },
      )
    : undefined;
  return { ...facts, store: record.store, ...(file && { file }) };
}

function keyStoreFor({ env }: Host): () => Promise<KeyStore | undefined> {
  return env.PORTOLAN_SECRETS === 'file' ? async () => undefined : systemKeyStore;
}
