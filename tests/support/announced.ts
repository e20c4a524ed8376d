import { expect } from 'vitest';
import { portolan, start, until, type Variables } from './client-over-stdio.js';
import type { Machine } from './machine.js';

type Json = Readonly<Record<string, unknown>>;

/** The fields of a server in `portolan list --json` that tests use. */
export interface Listed extends Json {
  readonly name: string;
  readonly state: string;
  readonly origins: readonly Json[];
}

/** The scan result of a machine. */
export async function list(machine: Machine): Promise<{ servers: readonly Listed[]; problems: readonly Json[] }> {
  const { stdout, stderr } = await portolan(machine, ['list', '--json']);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

/** A process of `portolan announce`; the server is announced while it runs. */
export interface Announcer extends AsyncDisposable {
  readonly pid: number;
  kill(): Promise<void>;
}

/** Announces a server with its own process, as programs in any language do. */
export async function announce(machine: Machine, args: readonly string[], env: Variables = {}): Promise<Announcer> {
  const program = start(machine, { args: ['announce', ...args], env });
  // Any output means that the server is announced.
  program.stopReading();
  const name = args[args.indexOf('--name') + 1] ?? '';
  const { existsSync, readdirSync } = process.getBuiltinModule('node:fs');
  const folder = machine.path(
    args.includes('--user') ? '~/.local/state/portolan/running/servers.d' : '<project>/.portolan/servers.d',
  );
  const id = `${name.replaceAll(/[^A-Za-z0-9._-]+/g, '_')}_${program.pid}.`;
  await until(
    () => existsSync(folder) && readdirSync(folder).some((file) => file.startsWith(id)),
    (isThere) => isThere,
  );
  return {
    pid: program.pid,
    kill: async () => {
      program.signal('SIGKILL');
      await program.exited;
    },
    [Symbol.asyncDispose]: async () => {
      program.signal('SIGTERM');
      await program.exited;
    },
  };
}
