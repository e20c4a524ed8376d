import { ErrorCode, PortolanError } from '../base/index.js';
import type { Sandbox, SandboxOptions } from './sandbox.js';

/** Loads, starts and probes the engines on first use, because most gateways never run a program. */
export function openSandbox(options: SandboxOptions): Sandbox {
  let opened: Promise<Sandbox> | undefined;
  let isClosed = false;
  const running = (): Promise<Sandbox> => {
    // An engine opened now would never be closed.
    if (isClosed) return Promise.reject(new PortolanError(ErrorCode.Cancelled, 'the sandbox is closed'));
    opened ??= import('./running-sandbox.js').then(
      ({ RunningSandbox }) => new RunningSandbox(options),
      (error: unknown) => {
        opened = undefined; // the load failed, for example because Portolan was updated; the next call tries again
        throw error;
      },
    );
    return opened;
  };
  return {
    engine: async () => (await running()).engine(),
    probe: async (engine) => (await running()).probe(engine),
    probes: async () => (await running()).probes(),
    warm: async (limits) => (await running()).warm(limits),
    run: async (...job) => (await running()).run(...job),
    // A load failure is reported to the jobs, not here.
    forget: async (session) => (await opened?.catch(() => undefined))?.forget(session),
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      const sandbox = await opened?.catch(() => undefined);
      await sandbox?.[Symbol.asyncDispose]();
    },
  };
}
