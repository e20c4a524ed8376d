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

/** Starts a command and collects its output until it exits. */
function startCommand(machine: Machine, args: readonly string[], { input = '', isRead = true } = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: machine.project, env: environment(machine) });
  const output = { stdout: '', stderr: '' };
  for (const stream of isRead ? (['stdout', 'stderr'] as const) : [])
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      output[stream] += chunk;
    });
  child.stdin.end(input);
  const exited = once(child, isRead ? 'close' : 'exit').then(([code, signal]) => ({ code, signal, ...output }));
  const firstOutput = () => once(child.stdout, 'readable');
  return { exited, firstOutput, signal: (signal: NodeJS.Signals) => child.kill(signal) };
}

const receivedIn = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** A machine with one server that records its starts and the messages that it receives. */
function machineWithServer(...flags: readonly string[]) {
  const machine = makeMachine();
  const [starts, received] = [machine.path('~/starts'), machine.path('~/received')];
  configure(machine, { own: fixture([...flags, '--starts', starts, '--record', received]) });
  return {
    machine,
    children: () => startsIn(starts),
    received: () => receivedIn(received),
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

describe('portolan call that receives a signal', () => {
  it.each(SIGNALS)(
    'cancels the call, records it in the audit log, stops the server and exits with $code after $signal',
    async (sent) => {
      using own = machineWithServer();
      const { exited, signal } = startCommand(own.machine, ['call', 'own', 'sleep', 'ms=20000', '--json']);
      await until(own.received, (text) => text.includes('tools/call'));
      signal(sent.signal);
      const { stdout, ...end } = await exited;
      expect(end).toEqual({ code: sent.code, signal: null, stderr: '' });
      expect(JSON.parse(stdout)).toEqual({
        success: false,
        error: {
          code: 'CANCELLED',
          message: `ended by ${sent.signal}`,
          server: 'own',
          tool: 'sleep',
          hint: expect.any(String),
        },
      });
      expect(own.received()).toContain('notifications/cancelled');
      expect(own.children().filter(isAlive)).toEqual([]);
      expect(await own.outcomes()).toEqual([['portolan call', 'own', 'sleep', 'CANCELLED']]);
    },
  );

  it('prints the error on stderr without --json', async () => {
    using own = machineWithServer();
    const { exited, signal } = startCommand(own.machine, ['call', 'own', 'sleep', 'ms=20000']);
    await until(own.received, (text) => text.includes('tools/call'));
    signal('SIGINT');
    const stderr = expect.stringMatching(/^CANCELLED: ended by SIGINT\n {2}/);
    expect(await exited).toEqual({ code: 130, signal: null, stdout: '', stderr });
  });

  it('exits after the first signal although nobody reads the result of the tool', async () => {
    using own = machineWithServer();
    const command = startCommand(own.machine, ['call', 'own', 'large', 'letters=5000000'], { isRead: false });
    await command.firstOutput();
    command.signal('SIGTERM');
    expect(await command.exited).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it('exits immediately after the second signal, even if the server is slow to stop', async () => {
    using own = machineWithServer('--exit-delay', '60000');
    const { exited, signal } = startCommand(own.machine, ['call', 'own', 'sleep', 'ms=20000']);
    await until(own.received, (text) => text.includes('tools/call'));
    signal('SIGINT');
    await until(own.received, (text) => text.includes('notifications/cancelled'));
    signal('SIGINT');
    expect(await exited).toMatchObject({ code: 1, signal: null });
    await until(
      () => own.children().filter(isAlive),
      (alive) => alive.length === 0,
    );
  });
});

describe('a command that receives a signal while it waits for a server', () => {
  it.each([
    { args: ['tools', 'own'] },
    { args: ['inspect', 'own', 'echo'] },
    { args: ['call', 'own', 'echo', 'text=a'] },
    { args: ['search', 'anything'] },
  ])('stops the server: $args', async ({ args }) => {
    using own = machineWithServer('--mute');
    for (const sent of SIGNALS) {
      const { exited, signal } = startCommand(own.machine, [...args, '--json']);
      await until(own.children, (pids) => pids.filter(isAlive).length === 1);
      signal(sent.signal);
      const { stdout, ...end } = await exited;
      expect(end).toEqual({ code: sent.code, signal: null, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ success: false, error: { code: 'CANCELLED' } });
      expect(own.children().filter(isAlive)).toEqual([]);
    }
  });

  it('stops a program in the sandbox', async () => {
    using own = machineWithServer();
    await portolan(own.machine, ['tools', 'own']);
    const { exited, signal } = startCommand(own.machine, ['python', '--json'], { input: 'mcp_own.sleep(ms=20000)' });
    await until(own.received, (text) => text.includes('tools/call'));
    signal('SIGTERM');
    const { stdout, ...end } = await exited;
    expect(end).toEqual({ code: 143, signal: null, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ success: false, error: { code: 'CANCELLED' } });
    expect(own.children().filter(isAlive)).toEqual([]);
    expect(await own.outcomes()).toContainEqual(['portolan python', 'own', 'sleep', 'CANCELLED']);
  });
});
