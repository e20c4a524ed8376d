import { describe, expect, it } from 'vitest';
import { makeMachine } from '../../tests/machine.js';
import { ErrorCode, MASK } from '../base/index.js';
import { ServerRegistry } from '../registry/index.js';
import { announceCommand } from './announce.js';
import type { Command } from './command.js';
import { psCommand, registryPath } from './ps.js';

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

describe('portolan ps', () => {
  it('shows who runs, with keys in addresses hidden', async () => {
    using machine = makeMachine();
    const options = machine.options();
    expect(await run(psCommand(options), [], machine.home)).toEqual({
      code: 0,
      out: [`No server has announced itself in ${registryPath(options, false)}.`],
      err: [],
    });
    await using registry = new ServerRegistry(registryPath(options, false));
    const url = 'http://127.0.0.1:8000/mcp?token=s3cr3t-s3cr3t';
    const info = { http: { enabled: true, host: '127.0.0.1', port: 8000, url }, started_at: '2026-01-01T00:00:00Z' };
    await registry.registerServer('nabu_1', { ...info, cwd: `${machine.home}/x` });
    const shown = await run(psCommand(options), [], machine.home);
    const pid = String(process.pid);
    expect(shown).toEqual({
      code: 0,
      out: [
        `ID      ${'PID'.padEnd(pid.length)}  REACHED BY                                SINCE                 FOLDER`,
        `nabu_1  ${pid.padEnd(3)}  http://127.0.0.1:8000/mcp?token=${MASK}  2026-01-01T00:00:00Z  ~/x`,
      ],
      err: [],
    });
    const json = await run(
      psCommand(options, async () => [{ pid: 5 }]),
      ['--json'],
      machine.home,
    );
    expect(JSON.parse(json.out.join('\n'))).toMatchObject({
      servers: [{ id: 'nabu_1', name: 'nabu' }],
      processes: [{ pid: 5 }],
    });
    expect(json.out.join('\n')).not.toContain('s3cr3t');
    expect(JSON.parse((await run(psCommand(options), ['--json', '--user'], machine.home)).out.join('\n'))).toEqual({
      servers: [],
      processes: [],
    });
  });

  it.each([['--what'], ['word']])('refuses %s', async (word) => {
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
  ])('holds the entry of a server with $title until it ends', async ({ args, expected }) => {
    using machine = makeMachine();
    const options = machine.options();
    const registry = new ServerRegistry(registryPath(options, args.includes('--user')));
    let end = (): void => undefined;
    const ending = new Promise<void>((resolve) => {
      end = resolve;
    });
    const ran = run(
      announceCommand(options, () => ending),
      ['--name', 'my server', ...args, '--json'],
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
    { args: ['--url', 'http://x/'], message: 'announce needs --name' },
    { args: ['--name', 'x'], message: 'announce needs --url' },
    { args: ['--name', 'x', '--url', 'nowhere'], message: 'is no address' },
    { args: ['--name', 'x', '--url', 'file:///etc'], message: 'is no address' },
    { args: ['--name', 'x', '--url', 'http://x/', '--transport', 'pigeon'], message: 'there is no transport pigeon' },
  ])('refuses $args', async ({ args, message }) => {
    using machine = makeMachine();
    const command = announceCommand(machine.options(), () => expect.unreachable());
    await expect(run(command, args, machine.home)).rejects.toMatchObject({
      code: ErrorCode.Usage,
      message: expect.stringContaining(message),
    });
  });
});
