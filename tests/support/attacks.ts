import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type CallResult, fixture, portolan, type Variables } from './client-over-stdio.js';
import { type Machine, makeMachine } from './machine.js';

/** A throw-away machine on which every forbidden execution leaves a mark file. */
export interface Target extends Disposable {
  readonly machine: Machine;
  /** The file that exists after the program of this name has run. */
  mark(name: string): string;
  /** The names of the mark files that exist. */
  ran(): readonly string[];
  /** An entry that starts a real server, which leaves a mark. */
  bait(name: string, words?: readonly string[]): { command: string; args: string[] };
  /** Variables that make the program record its connections. */
  readonly recorded: Variables;
  /** The hosts to which the program tried to connect. */
  connects(): readonly string[];
  run(args: readonly string[], env?: Variables): ReturnType<typeof portolan>;
  /** One `portolan call`: its exit code and the code of its error. */
  call(server: string, cwd?: string): Promise<{ readonly status: number; readonly code: string | undefined }>;
}

const RECORDER = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/servers/connect-recorder.mjs');

export function makeTarget(): Target {
  const machine = makeMachine();
  const folder = join(machine.root, 'marks');
  mkdirSync(folder);
  const mark = (name: string) => join(folder, name);
  const connects = join(machine.root, 'connects');
  return {
    machine,
    mark,
    ran: () => readdirSync(folder).sort(),
    bait: (name, words = []) => fixture(['--starts', mark(name), ...words]),
    recorded: { NODE_OPTIONS: `--import ${pathToFileURL(RECORDER).href}`, CONNECTS: connects },
    connects: () => {
      const lines = existsSync(connects) ? readFileSync(connects, 'utf8').split('\n').filter(Boolean) : [];
      return [...new Set(lines.map((line) => line.replace(/:\d+$/, '')))];
    },
    run: (args, env) => portolan(machine, args, env),
    call: async (server, cwd = machine.project) => {
      const { status, stderr } = await portolan({ ...machine, project: cwd }, ['call', server, 'echo', 'text=hello']);
      return { status, code: /^([A-Z_]+):/.exec(stderr)?.[1] };
    },
    [Symbol.dispose]: () => machine[Symbol.dispose](),
  };
}

export const servers = (entries: object, key = 'mcpServers') => JSON.stringify({ [key]: entries });

/** The code of the error in a result. */
export function codeIn({ isError, structuredContent }: CallResult): string | undefined {
  if (isError !== true) return undefined;
  return (structuredContent as { error: { code: string } }).error.code;
}

/** The outcome of a call to an unapproved server. */
export const UNAPPROVED = { status: 1, code: 'SERVER_NOT_APPROVED' };
