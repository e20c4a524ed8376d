import { ErrorCode, PortolanError } from '../base/index.js';
import type { Sandbox, SandboxOptions } from './sandbox.js';

/** Nothing is loaded, started or probed before somebody asks: most gateways never run a program. */
export function openSandbox(options: SandboxOptions): Sandbox {
  let opened: Promise<Sandbox> | undefined;
  let isClosed = false;
  const running = (): Promise<Sandbox> => {
    // Nobody is left to end what would be opened now.
    if (isClosed) return Promise.reject(new PortolanError(ErrorCode.Cancelled, 'the sandbox is closed'));
    opened ??= import('./running-sandbox.js').then(
      ({ RunningSandbox }) => new RunningSandbox(options),
      (error: unknown) => {
        opened = undefined; // the program was replaced while it ran; whoever comes next tries again
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
    // Nobody who leaves or ends is told of what could not be loaded.
    forget: async (session) => (await opened?.catch(() => undefined))?.forget(session),
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      const sandbox = await opened?.catch(() => undefined);
      await sandbox?.[Symbol.asyncDispose]();
    },
  };
}
