import type { Brand } from '../base/index.js';
import type { Definition } from '../model/index.js';
import type { Verdict } from './decide.js';

/** A server that may be started, under its unique name. */
export type AdmittedServer = Brand<{ readonly name: string; readonly definition: Definition }, 'AdmittedServer'>;

/**
 * The only function that creates an AdmittedServer. `upstream` accepts nothing else, so a server without permission
 * cannot be started.
 */
export function admit(name: string, definition: Definition, verdict: Verdict): AdmittedServer | undefined {
  return verdict.kind === 'allowed' ? ({ name, definition } as AdmittedServer) : undefined;
}
