import { readJson } from '../base/index.js';

/** Returns undefined for invalid JSON, which the daemon reports. */
export function parsed(bytes: Buffer): unknown {
  try {
    return readJson(bytes.toString());
  } catch {
    return undefined;
  }
}
