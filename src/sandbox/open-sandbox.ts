import { ErrorCode, PortolanError } from '../base/index.js';
import type { Sandbox, SandboxOptions } from './sandbox.js';

/** Nothing is loaded, started or probed before somebody asks: most gateways never run a program. */
export function openSandbox(options: SandboxOptions): Sandbox {
  let opened: Promise<Sandbox> | undefined;
  let isClosed = false;
  const running = (): Promise<Sandbox> => {
    // Nobody is left to end what would be opened now.
    if (isClosed) return Promise.reject(new PortolanError(ErrorCode.Cancelled, 'the sandbox is closed'));
    opened ??= import('./running-sandbox.js').then(({ RunningSandbox }) => new RunningSandbox(options));
    return opened;
  };
  return {
    engine: async () => (await running()).engine(),
    probe: async (engine) => (await running()).probe(engine),
    probes: async () => (await running()).probes(),
    warm: async (limits) => (await running()).warm(limits),
    run: async (...job) => (await running()).run(...job),
    forget: async (session) => (await opened)?.forget(session),
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
}
