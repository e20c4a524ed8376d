import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Listed, listed, withDescendants } from '../fixtures/children/marked-processes.js';
import { remainingAfter } from '../fixtures/children/remaining-processes.js';
import { configure, start } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { type Json, ODD_SERVER, odd, textOf } from '../support/gateway-harness.js';
import { type Machine, makeMachine } from '../support/machine.js';

// gateway-leaves-no-orphans.test.ts has more cycles and rare moments; this file tests the shipped program.

/** The server ignores the end of stdin and SIGTERM; otherwise it would end without our help. */
const MANNER = 'stubborn';
const NAMES = ['direct', 'shell', 'npx'];

/** A direct server, one in a shell, one in `npx`. gateway-leaves-no-orphans.test.ts has a wrapper that behaves like `uvx`. */
function serversFor(machine: Machine, mark: string): Record<string, Json> {
  const [bin, program] = ['node_modules/.bin/odd-server', 'node_modules/odd-server/index.mjs'];
  machine.write({
    '<project>/package.json': '{"name":"project","private":true}',
    '<project>/node_modules/odd-server/package.json': '{"name":"odd-server","version":"1.0.0","bin":"index.mjs"}',
    [`<project>/${program}`]: `#!/usr/bin/env node\nimport ${JSON.stringify(pathToFileURL(ODD_SERVER))};\n`,
  });
  chmodSync(machine.path(`<project>/${program}`), 0o755);
  mkdirSync(dirname(machine.path(`<project>/${bin}`)));
  symlinkSync('../odd-server/index.mjs', machine.path(`<project>/${bin}`));
  // With a second command, because a shell replaces itself with the last one.
  const script = `'${process.execPath}' '${ODD_SERVER}' ${MANNER} ${mark}; exit 0`;
  return {
    direct: odd([MANNER, mark]),
    shell: { command: 'sh', args: ['-c', script] },
    npx: { command: 'npx', args: ['--no-install', 'odd-server', MANNER, mark], cwd: machine.project },
  };
}

/** A running gateway: its process and a way to call its servers. */
interface Served extends AsyncDisposable {
  readonly pid: number;
  execute(server: string): Promise<unknown>;
}

async function served(mark: string): Promise<Served> {
  const machine = makeMachine();
  configure(machine, serversFor(machine, mark));
  const client = start(machine);
  await client.initialize();
  return {
    pid: client.pid,
    execute: (server) => client.execute(server, 'echo', { server }),
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      machine[Symbol.dispose]();
    },
  };
}

async function daemon(mark: string): Promise<Served> {
  const setup = makeDaemonSetup();
  configure(setup.machine, serversFor(setup.machine, mark));
  await setup.run(['daemon', 'start']);
  const { client, socket } = await setup.direct();
  await client.initialize();
  return {
    pid: (await setup.pid()) ?? -1,
    execute: (server) => client.execute(server, 'echo', { server }),
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      await setup[Symbol.asyncDispose]();
    },
  };
}

/** How to recognise each process of a tree; the gateway and its guardian process are the first. */
const KINDS: readonly { readonly kind: string; readonly is: (line: string) => boolean }[] = [
  { kind: 'guardian', is: (line) => line.includes('portolan-guardian') },
  { kind: 'npx', is: (line) => /\b(npm exec|npx)\b/.test(line) },
  { kind: 'shell', is: (line) => /^\S*sh -c/.test(line) },
  { kind: 'server', is: (line) => line.includes('odd-server') },
  { kind: 'gateway', is: () => true },
];
const kindOf = ({ line }: Listed): string => KINDS.find(({ is }) => is(line))?.kind ?? '';

describe.skipIf(process.platform === 'win32')(
  'the processes of the shipped program end with it',
  { tags: 'G10' },
  () => {
    it.each([
      { title: 'serve, stopped', begin: served, signal: 'SIGTERM' },
      { title: 'serve, crashed', begin: served, signal: 'SIGABRT' },
      { title: 'serve, killed', begin: served, signal: 'SIGKILL' },
      { title: 'the daemon, stopped', begin: daemon, signal: 'SIGTERM' },
      { title: 'the daemon, crashed', begin: daemon, signal: 'SIGABRT' },
      { title: 'the daemon, killed', begin: daemon, signal: 'SIGKILL' },
    ] as const)('without a server, shell or npx left: $title', async ({ begin, signal }) => {
      const mark = `mark-${randomUUID()}`;
      await using gateway = await begin(mark);
      const texts = (await Promise.all(NAMES.map((name) => gateway.execute(name)))).map(textOf);
      expect(texts).toEqual(NAMES.map((server) => JSON.stringify({ server })));
      const seen = withDescendants(await listed(), ({ pid, line }) => pid === gateway.pid || line.includes(mark));
      // The test can only fail if all these processes existed. `npx` starts a shell.
      const kinds = seen.map(kindOf).toSorted();
      expect(kinds).toEqual(['gateway', 'guardian', 'npx', 'server', 'server', 'server', 'shell', 'shell']);
      const start = performance.now();
      process.kill(gateway.pid, signal);
      const { alive, zombies } = await remainingAfter(mark, seen, start);
      expect({ alive, zombies }).toEqual({ alive: [], zombies: [] });
    });
  },
);
