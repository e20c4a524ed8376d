import type { Host } from '../model/index.js';

/** What a program wrote for itself beside the file at hand; undefined where nothing can be made of it. */
export function sideValue(path: string, host: Host): unknown {
  const reading = host.files.read(path);
  if (reading.kind !== 'read') return undefined;
  try {
    return JSON.parse(reading.text);
  } catch {
    return undefined;
  }
}
