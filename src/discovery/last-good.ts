import type { Definition } from '../model/index.js';
import { clientFileOf, type SourceReadings } from '../sources/index.js';

/**
 * A file that does not parse keeps the definitions of its last successful scan, because it may be in the middle of an
 * edit. They keep their position, which decides the names. A managed file is excluded: it fails closed.
 */
export function withLastGood<R extends SourceReadings>(
  now: R,
  before: Pick<SourceReadings, 'definitions'> | undefined,
): R {
  const failed = new Set(
    now.pathReadings.filter((reading) => reading.found === 'failed').map((reading) => reading.path),
  );
  if (!before || failed.size === 0) return now;
  const definitions = [...now.definitions];
  const keyOf = ({ client, source, name }: Definition) => JSON.stringify([client, source, name]);
  const places = new Map(definitions.map((definition) => [keyOf(definition), definition]));
  let last: Definition | undefined;
  for (const old of before.definitions) {
    const current = places.get(keyOf(old));
    if (!current && failed.has(clientFileOf(old.source)) && old.scope !== 'managed') {
      definitions.splice(last ? definitions.indexOf(last) + 1 : 0, 0, old);
      last = old;
    } else last = current ?? last;
  }
  return { ...now, definitions };
}
