import { readJson } from '../base/index.js';

/** Undefined for what is no JSON, which the daemon refuses in its own words. */
export function parsed(bytes: Buffer): unknown {
  try {
    return readJson(bytes.toString());
  } catch {
    return undefined;
  }
}
