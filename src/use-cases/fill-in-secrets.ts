import { ErrorCode, PortolanError, shellWord } from '../base/index.js';
import { configFolder, secretFiles } from '../discovery/index.js';
import type { Host } from '../model/index.js';
import { type AdmittedServer, fillIn } from '../policy/index.js';
import { readSecret, systemKeyStore, withSecrets } from '../secrets/index.js';
import { plainName, storedReferencesIn } from './stored-references.js';

/** The server with the stored values of its entry in place of the references, and these values, to mask them. */
export async function withStoredValues(
  server: AdmittedServer,
  host: Host,
): Promise<{ readonly server: AdmittedServer; readonly values: readonly string[] }> {
  const references = storedReferencesIn(server.definition, host);
  if (references.length === 0) return { server, values: [] };
  const files = secretFiles(host, configFolder(host));
  const values = new Map<string, string>();
  for (const reference of references) {
    if (reference.kind === 'refused') throw missing(server.name, reference.because, reference.name);
    const { id, record } = reference;
    const value = await readSecret(record, files, systemKeyStore);
    if (value === undefined)
      throw missing(server.name, `cannot read ${record.name} from the ${record.store}`, plainName(record));
    values.set(id, value);
  }
  const filled = fillIn(server, (text) => withSecrets(text, (id) => values.get(id) ?? ''));
  return { server: filled, values: [...values.values()] };
}

function missing(server: string, why: string, name: string | undefined): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `${server} cannot be started: its entry ${why}`, {
    hint:
      name === undefined
        ? `remove the reference from the entry; \`portolan why ${shellWord(server)}\` shows where it is`
        : `store the value with \`portolan set ${shellWord(server)} ${shellWord(name)}\``,
  });
}
