import { describe, expect, it } from 'vitest';
import { makeMachine } from '../../../tests/support/machine.js';
import { ErrorCode, MASK } from '../../base/index.js';
import type { Discovery } from '../../discovery/index.js';
import { fingerprint } from '../../policy/index.js';
import { ServerRegistry } from '../../registry/index.js';
import type { Command } from '../runtime/command.js';
import { announceCommand } from './announce.js';
import { psCommand, registryPath } from './ps.js';
import type { SharedProcess } from './shared-processes.js';

async function run(command: Command, args: readonly string[], home: string) {
  const [out, err]: [string[], string[]] = [[], []];
  const io = {
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    colour: false,
    home,
  };
  return { code: await command.run(args, io), out, err };
}

const NO_DAEMON = 'No daemon runs, so no server is shared between clients: portolan daemon start';
const none = async () => undefined;
/** A scan that found a server, so that `ps` does not explain how to add one. */
const scan = async () => ({ servers: [{}] }) as unknown as Discovery;
const shared: readonly SharedProcess[] = [
  {
    server: 'notes',
    state: 'connected',
    pid: 5,
    users: [{ id: 'bee', name: 'cursor' }, { id: 'c-2', name: 'zed' }, { id: 'http' }],
    workspaces: 2,
    calls: 7,
    memoryBytes: 50 * 2 ** 20,
    savedProcesses: 2,
    savedBytes: 100 * 2 ** 20,
  },
  { server: 'far', state: 'connected', users: [], workspaces: 1, calls: 0, savedProcesses: 0 },
];

describe('portolan ps', () => {
  it('lists running servers, with secrets in URLs masked', async () => {
    using machine = makeMachine();
    const options = machine.options();
    expect(await run(psCommand(options, none, scan), [], machine.home)).toEqual({
      code: 0,
      out: [`No server has announced itself in ${registryPath(options, false)}, nor for this user.`, '', NO_DAEMON],
      err: [],
    });
    await using registry = new ServerRegistry(registryPath(options, false));
    const url = 'http://127.0.0.1:8000/mcp?token=s3cr3t-s3cr3t';
    const info = { http: { enabled: true, host: '127.0.0.1', port: 8000, url }, started_at: '2026-01-01T00:00:00Z' };
    await registry.registerServer('nabu_1', { ...info, cwd: `${machine.home}/x` });
    await using users = new ServerRegistry(registryPath(options, true));
    await users.registerServer('nisaba_1', { ...info, http: { enabled: false }, cwd: machine.home });
    const shown = await run(psCommand(options, none, scan), [], machine.home);
    const pid = String(process.pid);
    const address = `http://127.0.0.1:8000/mcp?token=${MASK}`;
    expect(shown).toEqual({
      code: 0,
      out: [
        `ID        ${'PID'.padEnd(pid.length)}  ${'REACHED BY'.padEnd(address.length)}  SINCE                 DIRECTORY`,
        `nabu_1    ${pid.padEnd(3)}  ${address}  2026-01-01T00:00:00Z  ~/x`,
        `nisaba_1  ${pid.padEnd(3)}  ${'-'.padEnd(address.length)}  2026-01-01T00:00:00Z  ~`,
        '',
        NO_DAEMON,
      ],
      err: [],
    });
    const json = async (...words: string[]) => {
      const { out } = await run(
        psCommand(options, async () => shared),
        ['--json', ...words],
        machine.home,
      );
      expect(out.join()).not.toContain('s3cr3t');
      const { servers, processes, ...rest } = JSON.parse(out.join('\n'));
      return [servers.map(({ id }: { id: string }) => id), processes, rest];
    };
    expect(await json()).toEqual([['nabu_1', 'nisaba_1'], shared, {}]);
    expect(await json('--user')).toEqual([['nisaba_1'], shared, {}]);
  });

  it('shows the URL of a server in the older field of a registry of another program', async () => {
    using machine = makeMachine();
    const http = { enabled: true, host: '127.0.0.1', port: 8000, url: 'http://127.0.0.1:8000/' };
    const server = { name: 'nabu', pid: process.pid, http, started_at: new Date().toISOString(), cwd: '/srv' };
    const text = JSON.stringify({ version: '1.0', servers: { nabu_1: server } });
    machine.write({ '<project>/.nisaba/mcp_servers.json': text });
    const { out } = await run(psCommand(machine.options(), none), ['--json'], machine.home);
    expect(JSON.parse(out.join('\n')).servers).toMatchObject([
      { id: 'nabu_1', transports: [{ type: 'http', url: http.url }] },
    ]);
    const shown = await run(psCommand(machine.options(), none), [], machine.home);
    expect(shown.out[1]).toContain(`  ${http.url}  `);
  });

  it.each([
    {
      title: 'who uses each server that clients share, its memory, and what that saves',
      processes: shared,
      expected: [
        'SERVER  PID  STATE      USED BY                        CALLS  MEMORY  SAVES',
        'notes   5    connected  cursor (bee), zed (c-2), http  7      50 MB   100 MB',
        'far     -    connected  -                              0      -       -',
        '',
        'Sharing saves 2 processes and about 100 MB: without it each client would run its own.',
      ],
    },
    {
      title: 'that nothing is saved without shared servers',
      processes: [{ ...shared[0], users: [], savedProcesses: 0, savedBytes: 0, memoryBytes: 2 ** 20 } as SharedProcess],
      expected: [
        'SERVER  PID  STATE      USED BY  CALLS  MEMORY  SAVES',
        'notes   5    connected  -        7      1.0 MB  -',
        '',
        'Sharing saves nothing at the moment: no server has more than one user.',
      ],
    },
    {
      title: 'the era of each of two processes of a server',
      processes: (['legacy', 'modern'] as const).map(
        (era): SharedProcess => ({
          ...{ server: 'notes', state: 'connected', era, users: [], workspaces: 1, calls: 1, savedProcesses: 0 },
        }),
      ),
      expected: [
        'SERVER          PID  STATE      USED BY  CALLS  MEMORY  SAVES',
        'notes (legacy)  -    connected  -        1      -       -',
        'notes (modern)  -    connected  -        1      -       -',
        '',
        'Sharing saves nothing at the moment: no server has more than one user.',
      ],
    },
    {
      title: 'that the daemon has nothing to run',
      processes: [],
      expected: ['The daemon runs no server at the moment: each starts when it is first used.'],
    },
  ])('prints $title', async ({ processes, expected }) => {
    using machine = makeMachine();
    const { out } = await run(
      psCommand(machine.options(), async () => processes, scan),
      [],
      machine.home,
    );
    expect(out.slice(2)).toEqual(expected);
  });

  it.each([['--what'], ['word']])('rejects %s', async (word) => {
    using machine = makeMachine();
    await expect(run(psCommand(machine.options()), [word], machine.home)).rejects.toMatchObject({
      code: ErrorCode.Usage,
    });
  });
});

describe('portolan announce', () => {
  it.each([
    {
      title: 'an address',
      args: ['--url', 'http://localhost:9/mcp'],
      expected: {
        http: { enabled: true, host: 'localhost', port: 9, url: 'http://localhost:9/mcp' },
        transports: [{ type: 'http', url: 'http://localhost:9/mcp' }],
      },
    },
    {
      title: 'an address with its usual port',
      args: ['--url', 'https://x.test/sse', '--transport', 'sse'],
      expected: {
        http: { enabled: true, host: 'x.test', port: 443, url: 'https://x.test/sse' },
        transports: [{ type: 'sse', url: 'https://x.test/sse' }],
      },
    },
    {
      title: 'a web socket, for the whole user',
      args: ['--url', 'ws://localhost:9/', '--user'],
      expected: { http: { enabled: false }, transports: [{ type: 'websocket', url: 'ws://localhost:9/' }] },
    },
    {
      title: 'a socket',
      args: ['--url', 'unix:/run/a%20b.sock'],
      expected: { http: { enabled: false }, transports: [{ type: 'socket', path: '/run/a b.sock' }] },
    },
    {
      title: 'a fingerprint',
      args: ['--url', 'ws://localhost:9/', '--fingerprint', 'a'.repeat(64)],
      expected: { fingerprint: 'a'.repeat(64) },
    },
    {
      title: 'the command that it came from',
      args: ['--url', 'ws://localhost:9/', '--', 'node', 'x.js', '--json'],
      expected: { fingerprint: fingerprint({ command: 'node', args: ['x.js', '--json'] }) },
    },
  ])('keeps the entry of a server with $title until it exits', async ({ args, expected }) => {
    using machine = makeMachine();
    const options = machine.options();
    const registry = new ServerRegistry(registryPath(options, args.includes('--user')));
    let end = (): void => undefined;
    const ending = new Promise<void>((resolve) => {
      end = resolve;
    });
    const ran = run(
      announceCommand(options, () => ending),
      ['--name', 'my server', '--json', ...args],
      machine.home,
    );
    await expect.poll(() => registry.listServers(), { timeout: 20_000 }).toHaveLength(1);
    const id = `my_server_${process.pid}`;
    expect(await registry.listServers()).toMatchObject([{ id, name: 'my server', pid: process.pid, ...expected }]);
    end();
    expect(await ran).toEqual({ code: 0, out: [JSON.stringify({ id, path: registry.path })], err: [] });
    expect(await registry.listServers()).toEqual([]);
  });

  it.each([
    { args: ['--url', 'http://x/'], message: 'portolan announce needs --name' },
    { args: ['--name', 'x'], message: 'portolan announce needs --url' },
    { args: ['--name', 'x', '--url', 'nowhere'], message: 'needs an http, https, ws, wss or unix URL after --url' },
    { args: ['--name', 'x', '--url', 'file:///etc'], message: 'needs an http, https, ws, wss or unix URL after --url' },
    {
      args: ['--name', 'x', '--url', 'http://x/', '--transport', 'pigeon'],
      message: 'after --transport, not "pigeon"',
    },
    {
      args: ['--name', 'x', '--url', 'http://x/', '--fingerprint', 'AB'],
      message: 'needs 64 hexadecimal digits after --fingerprint',
    },
    {
      args: ['--name', 'x', '--url', 'http://x/', '--fingerprint', 'a'.repeat(64), '--', 'node'],
      message: 'takes --fingerprint or a command after --, not both',
    },
  ])('rejects $args', async ({ args, message }) => {
    using machine = makeMachine();
    const command = announceCommand(machine.options(), () => expect.unreachable());
    await expect(run(command, args, machine.home)).rejects.toMatchObject({
      code: ErrorCode.Usage,
      message: expect.stringContaining(message),
    });
  });
});
