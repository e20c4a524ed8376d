import type { Host } from '../model/index.js';

/** The parsed content of a program's own file beside the source; undefined if it is missing or malformed. */
export function sideValue(path: string, host: Host): unknown {
  const reading = host.files.read(path);
  if (reading.kind !== 'read') return undefined;
  try {
    return JSON.parse(reading.text);
  } catch {
    return undefined;
  }
}
