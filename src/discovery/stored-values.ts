import { join } from 'node:path';
import type { Files } from '../base/index.js';
import type { Host } from '../model/index.js';
import {
  readSecretRecords,
  type SecretFiles,
  type SecretRecord,
  sameSource,
  secretReference,
} from '../secrets/index.js';
import { clientFileOf } from '../sources/index.js';
import { ownFolders } from './own-folders.js';

/** The files of the values that `portolan set` stores. The key is in another directory than the encrypted values. */
export function secretFiles(host: Host, configFolder: string): SecretFiles {
  return { records: join(ownFolders(host).state, 'secrets.json'), key: join(configFolder, 'secrets.key') };
}

/** Returns the stored values of an entry as references, by the name of the variable or input that each replaces. */
export function storedReferences(
  path: string,
  files: Pick<Files, 'read'>,
): (source: string, server: string) => Readonly<Record<string, string>> {
  let records: readonly SecretRecord[] | undefined;
  return (source, server) => {
    records ??= readSecretRecords(path, files);
    const own = records.filter((one) => one.server === server && sameSource(one.source, clientFileOf(source)));
    return Object.fromEntries(own.map(({ id, name }) => [name, secretReference(id)]));
  };
}
