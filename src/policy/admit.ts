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

/**
 * The admitted server with stored values in place of its references. The admission stays valid: it covers the
 * references.
 */
export function fillIn({ name, definition }: AdmittedServer, fill: (text: string) => string): AdmittedServer {
  const { args, env, headers, url } = definition;
  const all = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([key, text]) => [key, fill(text)]));
  const filled = {
    ...definition,
    ...(args && { args: args.map(fill) }),
    ...(env && { env: all(env) }),
    ...(headers && { headers: all(headers) }),
    ...(url !== undefined && { url: fill(url) }),
  };
  return { name, definition: filled } as AdmittedServer;
}
