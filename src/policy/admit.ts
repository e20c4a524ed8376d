import type { Brand } from '../base/index.js';
import type { Definition } from '../model/index.js';
import type { Verdict } from './decide.js';

/** A server that may be started, under the name by which everyone knows it. */
export type AdmittedServer = Brand<{ readonly name: string; readonly definition: Definition }, 'AdmittedServer'>;

/** The only maker of an AdmittedServer, and upstream/ takes nothing else: what was not allowed cannot be started. */
export function admit(name: string, definition: Definition, verdict: Verdict): AdmittedServer | undefined {
  return verdict.kind === 'allowed' ? ({ name, definition } as AdmittedServer) : undefined;
}
