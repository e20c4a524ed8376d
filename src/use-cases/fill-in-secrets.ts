import { ErrorCode, PortolanError, shellWord } from '../base/index.js';
import { configFolder, secretFiles } from '../discovery/index.js';
import type { Definition, Host } from '../model/index.js';
import { type AdmittedServer, fillIn, isFromRepository } from '../policy/index.js';
import { readSecret, readSecretRecords, sameSource, secretsIn, systemKeyStore, withSecrets } from '../secrets/index.js';
import { clientFileOf } from '../sources/index.js';
import { launchHash } from './set-value.js';

/** The server with the stored values of its entry in place of the references, and these values, to mask them. */
export async function withStoredValues(
  server: AdmittedServer,
  host: Host,
): Promise<{ readonly server: AdmittedServer; readonly values: readonly string[] }> {
  const { definition } = server;
  const ids = new Set(textsOf(definition).flatMap(secretsIn));
  if (ids.size === 0) return { server, values: [] };
  const files = secretFiles(host, configFolder(host));
  const records = readSecretRecords(files.records, host.files);
  const values = new Map<string, string>();
  for (const id of ids) {
    const record = records.find((one) => one.id === id);
    // Another entry may have copied the reference, for example from a shared file.
    const isOwn =
      record && record.server === definition.name && sameSource(record.source, clientFileOf(definition.source));
    if (!isOwn)
      throw missing(server.name, 'refers to a stored value that belongs to another entry, or is not stored here');
    if (isFromRepository(definition, host) && record.launch !== launchHash(definition))
      throw missing(server.name, `has changed since ${record.name} was stored`, record.name);
    const value = await readSecret(record, files, systemKeyStore);
    if (value === undefined)
      throw missing(server.name, `cannot read ${record.name} from the ${record.store}`, record.name);
    values.set(id, value);
  }
  const filled = fillIn(server, (text) => withSecrets(text, (id) => values.get(id) ?? ''));
  return { server: filled, values: [...values.values()] };
}

function textsOf({ env = {}, headers = {}, args = [], url }: Definition): string[] {
  return [...Object.values(env), ...Object.values(headers), ...args, ...(url === undefined ? [] : [url])];
}

function missing(server: string, why: string, name = '<name>'): PortolanError {
  const plain = name.replace(/^input:/, '');
  return new PortolanError(ErrorCode.ConnectionError, `${server} cannot be started: its entry ${why}`, {
    hint: `store the value with \`portolan set ${shellWord(server)} ${plain === '<name>' ? plain : shellWord(plain)}\``,
  });
}
