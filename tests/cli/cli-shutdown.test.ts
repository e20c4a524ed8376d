import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  configure,
  environment,
  fixture,
  isAlive,
  PROGRAM,
  portolan,
  startsIn,
  until,
} from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

/** A command that runs on, and everything that it says until its end. */
function begin(machine: Machine, args: readonly string[], { input = '', isRead = true } = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: machine.project, env: environment(machine) });
  const said = { stdout: '', stderr: '' };
  for (const stream of isRead ? (['stdout', 'stderr'] as const) : [])
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      said[stream] += chunk;
    });
  child.stdin.end(input);
  const exited = once(child, isRead ? 'close' : 'exit').then(([code, signal]) => ({ code, signal, ...said }));
  const speaks = () => once(child.stdout, 'readable');
  return { exited, speaks, signal: (signal: NodeJS.Signals) => child.kill(signal) };
}

const heardIn = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** A machine whose server writes down its starts and what it hears. */
function machineWithServer(...words: readonly string[]) {
  const machine = makeMachine();
  const [starts, heard] = [machine.path('~/starts'), machine.path('~/heard')];
  configure(machine, { own: fixture([...words, '--starts', starts, '--heard', heard]) });
  return {
    machine,
    children: () => startsIn(starts),
    heard: () => heardIn(heard),
    outcomes: async () => {
      const { entries } = JSON.parse((await portolan(machine, ['audit', '--json'])).stdout);
      return entries.map(({ client, server, tool, outcome }: Record<string, unknown>) => [
        client,
        server,
        tool,
        outcome,
      ]);
    },
    [Symbol.dispose]: () => machine[Symbol.dispose](),
  };
}

const SIGNALS = [
  { signal: 'SIGINT', code: 130 },
  { signal: 'SIGTERM', code: 143 },
] as const;

describe('portolan call that is told to end', () => {
  it.each(SIGNALS)(
    'by $signal cancels the call, writes it down, stops the server and exits with $code',
    async (told) => {
      using own = machineWithServer();
      const { exited, signal } = begin(own.machine, ['call', 'own', 'sleep', 'ms=20000', '--json']);
      await until(own.heard, (heard) => heard.includes('tools/call'));
      signal(told.signal);
      const { stdout, ...end } = await exited;
      expect(end).toEqual({ code: told.code, signal: null, stderr: '' });
      expect(JSON.parse(stdout)).toEqual({
        success: false,
        error: {
          code: 'CANCELLED',
          message: `ended by ${told.signal}`,
          server: 'own',
          tool: 'sleep',
          hint: expect.any(String),
        },
      });
      expect(own.heard()).toContain('notifications/cancelled');
      expect(own.children().filter(isAlive)).toEqual([]);
      expect(await own.outcomes()).toEqual([['portolan call', 'own', 'sleep', 'CANCELLED']]);
    },
  );

  it('says so on stderr where nobody asked for JSON', async () => {
    using own = machineWithServer();
    const { exited, signal } = begin(own.machine, ['call', 'own', 'sleep', 'ms=20000']);
    await until(own.heard, (heard) => heard.includes('tools/call'));
    signal('SIGINT');
    const stderr = expect.stringMatching(/^CANCELLED: ended by SIGINT\n {2}/);
    expect(await exited).toEqual({ code: 130, signal: null, stdout: '', stderr });
  });

  it('ends by the first signal once the gateway is closed, while nobody reads what the tool gave', async () => {
    using own = machineWithServer();
    const command = begin(own.machine, ['call', 'own', 'large', 'letters=5000000'], { isRead: false });
    await command.speaks();
    command.signal('SIGTERM');
    expect(await command.exited).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it('ends at once with the second signal, however long its server takes', async () => {
    using own = machineWithServer('--lingers', '60000');
    const { exited, signal } = begin(own.machine, ['call', 'own', 'sleep', 'ms=20000']);
    await until(own.heard, (heard) => heard.includes('tools/call'));
    signal('SIGINT');
    await until(own.heard, (heard) => heard.includes('notifications/cancelled'));
    signal('SIGINT');
    expect(await exited).toMatchObject({ code: 1, signal: null });
    await until(
      () => own.children().filter(isAlive),
      (alive) => alive.length === 0,
    );
  });
});

describe('a command that waits for a server and is told to end', () => {
  it.each([
    { args: ['tools', 'own'] },
    { args: ['inspect', 'own', 'echo'] },
    { args: ['call', 'own', 'echo', 'text=a'] },
    { args: ['search', 'anything'] },
  ])('stops it: $args', async ({ args }) => {
    using own = machineWithServer('--mute');
    for (const told of SIGNALS) {
      const { exited, signal } = begin(own.machine, [...args, '--json']);
      await until(own.children, (pids) => pids.filter(isAlive).length === 1);
      signal(told.signal);
      const { stdout, ...end } = await exited;
      expect(end).toEqual({ code: told.code, signal: null, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ success: false, error: { code: 'CANCELLED' } });
      expect(own.children().filter(isAlive)).toEqual([]);
    }
  });

  it('stops it: a program in the sandbox', async () => {
    using own = machineWithServer();
    await portolan(own.machine, ['tools', 'own']);
    const { exited, signal } = begin(own.machine, ['python', '--json'], { input: 'mcp_own.sleep(ms=20000)' });
    await until(own.heard, (heard) => heard.includes('tools/call'));
    signal('SIGTERM');
    const { stdout, ...end } = await exited;
    expect(end).toEqual({ code: 143, signal: null, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ success: false, error: { code: 'CANCELLED' } });
    expect(own.children().filter(isAlive)).toEqual([]);
    expect(await own.outcomes()).toContainEqual(['portolan python', 'own', 'sleep', 'CANCELLED']);
  });
});
