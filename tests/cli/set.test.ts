import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect, environment, fixture, PROGRAM, portolan } from '../support/client-over-stdio.js';
import { inTerminal } from '../support/in-terminal.js';
import { type Machine, makeMachine } from '../support/machine.js';
import { needs } from '../support/programs.js';

const SECRET = 'v3ry-s3cr3t-value-of-mine';
/** No test may write to the key store of the machine it runs on. */
const env = { PORTOLAN_SECRETS: 'file' };

/** Runs `portolan set` with the value on stdin. */
async function set(machine: Machine, args: readonly string[], value = SECRET) {
  const child = spawn(process.execPath, [PROGRAM, 'set', ...args], {
    cwd: machine.project,
    env: environment(machine, env),
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
  child.stdin.end(`${value}\n`);
  const [status] = await once(child, 'close');
  return { status, text };
}

/** The environment that the server got. */
async function environmentOf(machine: Machine, name: string, file: string): Promise<Record<string, string>> {
  await using client = await connect(machine, { env });
  const result = await client.execute(name, 'echo', { text: 'x' });
  if (result.isError === true) throw new Error(JSON.stringify(result));
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Every file below the machine's directories that contains the text. */
function filesWith(machine: Machine, text: string): string[] {
  return [machine.home, machine.project].flatMap((top) =>
    readdirSync(top, { recursive: true, encoding: 'utf8' })
      .map((name) => join(top, name))
      .filter((path) => statSync(path).isFile() && readFileSync(path, 'utf8').includes(text)),
  );
}

describe('portolan set', () => {
  it('stores the value, writes a reference into the entry and keeps every other byte', async () => {
    using machine = makeMachine();
    const seen = machine.path('~/seen.json');
    const { command, args } = fixture(['--env', seen]);
    const text = `{\n  // mine\n  "mcpServers": { "hub": { "command": ${JSON.stringify(command)}, "args": ${JSON.stringify(args)},\n    "env": { "TOKEN": "", "LEVEL": "info", } } }\n}\n`;
    machine.write({ '~/.cursor/mcp.json': text });
    const { status, text: said } = await set(machine, ['hub', 'TOKEN']);
    expect(said).toContain('Stored TOKEN of hub in an encrypted file: no key store is available.');
    expect(status).toBe(0);
    const after = readFileSync(machine.path('~/.cursor/mcp.json'), 'utf8');
    expect(after.replace(/portolan-secret:[0-9a-f]{32}/, '')).toBe(text);
    expect(await environmentOf(machine, 'hub', seen)).toMatchObject({ TOKEN: SECRET, LEVEL: 'info' });
    // Only the server's own record of its environment has the value.
    expect(filesWith(machine, SECRET)).toEqual([seen]);
    expect(statSync(machine.path('~/.local/state/portolan/secrets.json')).mode & 0o077).toBe(0);
    const { problems } = JSON.parse((await portolan(machine, ['doctor', '--json'], env)).stdout);
    expect(problems.filter(({ server }: { server?: string }) => server === 'hub')).toEqual([]);
  });

  it('provides an input and an unset variable without a change of the file', async () => {
    using machine = makeMachine();
    const seen = machine.path('~/seen.json');
    const file = '~/.config/Code/User/mcp.json';
    const text = JSON.stringify({
      inputs: [{ id: 'token', type: 'promptString', password: true }],
      servers: { hub: fixture(['--env', seen], { env: { TOKEN: '${input:token}', REGION: '${env:REGION_OF_MINE}' } }) },
    });
    machine.write({ [file]: text });
    expect((await portolan(machine, ['why', 'hub'], env)).stdout).toContain('portolan set hub token');
    expect(await set(machine, ['hub', 'token'])).toMatchObject({ status: 0 });
    expect(await set(machine, ['hub', 'REGION_OF_MINE'], 'north')).toMatchObject({ status: 0 });
    expect(readFileSync(machine.path(file), 'utf8')).toBe(text);
    expect(await environmentOf(machine, 'hub', seen)).toMatchObject({ TOKEN: SECRET, REGION: 'north' });
    expect(JSON.parse((await portolan(machine, ['why', 'hub', '--json'], env)).stdout).needs).toEqual([]);
  });

  it('replaces the value and shows it nowhere', async () => {
    using machine = makeMachine();
    const seen = machine.path('~/seen.json');
    machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { hub: fixture(['--env', seen]) } }) });
    expect((await set(machine, ['hub', 'NAME_OF_IT', '--json'], 'an older value')).status).toBe(0);
    const { text } = await set(machine, ['hub', 'NAME_OF_IT', '--json']);
    expect(JSON.parse(text)).toMatchObject({ server: 'hub', name: 'NAME_OF_IT', store: 'encrypted file' });
    expect(await environmentOf(machine, 'hub', seen)).toMatchObject({ NAME_OF_IT: SECRET });
    const shown = await Promise.all(
      [
        ['why', 'hub', '--json'],
        ['list', '--json', '--all'],
        ['why', 'hub', '--show-secrets'],
        ['logs', 'hub'],
      ].map((args) => portolan(machine, args, env)),
    );
    for (const { stdout, stderr } of [{ stdout: text, stderr: '' }, ...shown])
      expect(`${stdout}${stderr}`).not.toContain(SECRET);
  });

  it('keeps the value through a take-over and its undo, and stores one for an entry that was taken over', async () => {
    using machine = makeMachine();
    const [seen, later] = [machine.path('~/seen.json'), machine.path('~/later.json')];
    const entry = (file: string) => fixture(['--env', file], { env: { TOKEN: '' } });
    machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { hub: entry(seen), later: entry(later) } }) });
    const given = async () => [
      (await environmentOf(machine, 'hub', seen)).TOKEN,
      (await environmentOf(machine, 'later', later)).TOKEN,
    ];
    await set(machine, ['hub', 'TOKEN'], 'before');
    expect((await portolan(machine, ['install', 'cursor', '--take-over'], env)).status).toBe(0);
    expect(await set(machine, ['later', 'TOKEN'], 'after')).toMatchObject({ status: 0 });
    expect(await given()).toEqual(['before', 'after']);
    expect((await portolan(machine, ['install', 'cursor', '--undo'], env)).status).toBe(0);
    expect(await given()).toEqual(['before', 'after']);
    expect(readdirSync(machine.path('~/.cursor')).toSorted()).toEqual(['mcp.json', 'mcp.json.portolan-backup']);
  });

  it('gives a replaced value to the next call of a client that is connected already', async () => {
    using machine = makeMachine();
    const seen = machine.path('~/seen.json');
    machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { hub: fixture(['--env', seen]) } }) });
    await set(machine, ['hub', 'TOKEN'], 'an older value');
    await using client = await connect(machine, { env });
    const valueAfterCall = async () => {
      expect((await client.execute('hub', 'echo', { text: 'x' })).isError).not.toBe(true);
      return JSON.parse(readFileSync(seen, 'utf8')).TOKEN;
    };
    expect(await valueAfterCall()).toBe('an older value');
    await set(machine, ['hub', 'TOKEN']);
    expect(await valueAfterCall()).toBe(SECRET);
  });

  it('does not give a value to another entry that copies the reference', async () => {
    using machine = makeMachine();
    machine.write({
      '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { hub: fixture([], { env: { TOKEN: '' } }) } }),
    });
    await set(machine, ['hub', 'TOKEN']);
    const [reference = ''] =
      /portolan-secret:[0-9a-f]{32}/.exec(readFileSync(machine.path('~/.cursor/mcp.json'), 'utf8')) ?? [];
    const seen = machine.path('~/seen.json');
    const thief = { hub: fixture(['--env', seen], { env: { STOLEN: reference } }) };
    machine.write({ '<project>/.cursor/mcp.json': JSON.stringify({ mcpServers: thief }) });
    const { servers } = JSON.parse((await portolan(machine, ['list', '--json'], env)).stdout);
    const name = servers.find(({ state }: { state: string }) => state === 'pending-approval').name;
    expect((await portolan(machine, ['approve', name, '--yes'], env)).status).toBe(0);
    const { stderr } = await portolan(machine, ['call', name, 'echo', 'text=x'], env);
    expect(stderr).toContain('refers to a stored value that belongs to another entry');
    expect(filesWith(machine, SECRET)).toEqual([]);
  });

  it('does not give the value of a project entry to a changed command, even if the change is approved', async () => {
    using machine = makeMachine();
    const write = (words: readonly string[], more: object) =>
      machine.write({
        '<project>/.mcp.json': JSON.stringify({ mcpServers: { hub: { ...fixture(words), ...more } } }),
      });
    write([], { env: { TOKEN: '${TOKEN_OF_PROJECT}' } });
    await portolan(machine, ['approve', 'hub', '--yes'], env);
    expect(await set(machine, ['hub', 'TOKEN_OF_PROJECT'])).toMatchObject({ status: 0 });
    await portolan(machine, ['approve', 'hub', '--yes'], env);
    expect((await portolan(machine, ['call', 'hub', 'echo', 'text=x'], env)).stderr).toBe('');
    // Another command, and a variable that decides what the command runs.
    for (const [words, more] of [
      [['changed'], {}],
      [[], { NODE_OPTIONS: '--no-warnings' }],
    ] as const) {
      write(words, { env: { TOKEN: '${TOKEN_OF_PROJECT}', ...more } });
      await portolan(machine, ['approve', 'hub', '--yes'], env);
      const { stderr } = await portolan(machine, ['call', 'hub', 'echo', 'text=x'], env);
      expect(stderr).toContain('has changed since TOKEN_OF_PROJECT was stored');
      expect(stderr).toContain('portolan set hub TOKEN_OF_PROJECT');
    }
  });

  it('asks in a terminal without showing what is typed', needs('python3'), async () => {
    using machine = makeMachine();
    const seen = machine.path('~/seen.json');
    machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { hub: fixture(['--env', seen]) } }) });
    const terminal = { cwd: machine.project, env: { ...environment(machine, env), TERM: 'xterm' } };
    const words = [process.execPath, PROGRAM, 'set', 'hub', 'TOKEN'];
    const question = 'Value of TOKEN for hub (not shown): ';
    // A typing mistake that is erased again.
    const { status, screen } = await inTerminal(words, [[question, `${SECRET}x\u007f\r`]], terminal);
    expect({ status, isShown: screen.includes(SECRET.slice(0, 4)) }).toEqual({ status: 0, isShown: false });
    expect(screen).toContain('Stored TOKEN of hub in an encrypted file');
    expect(await environmentOf(machine, 'hub', seen)).toMatchObject({ TOKEN: SECRET });
    const cancelled = await inTerminal(words, [[question, 'abc\u0003']], terminal);
    expect(cancelled).toEqual({ status: 1, screen: expect.stringMatching(/CANCELLED.*: nothing was stored/) });
  });

  it('is named by why, list and doctor for a reference without its value, before a call fails', async () => {
    using machine = makeMachine();
    machine.write({
      '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { hub: fixture([], { env: { TOKEN: '' } }) } }),
    });
    await set(machine, ['hub', 'TOKEN']);
    // As on another computer with the same dotfiles.
    rmSync(machine.path('~/.local/state/portolan/secrets.json'));
    expect((await portolan(machine, ['why', 'hub'], env)).stdout).toContain('portolan set hub TOKEN');
    expect((await portolan(machine, ['list'], env)).stdout).toContain('hub: it cannot be started: the stored value');
    const { problems } = JSON.parse((await portolan(machine, ['doctor', '--json'], env)).stdout);
    expect(problems).toMatchObject([
      { code: 'missing-stored-value', hint: 'store the value again with `portolan set hub TOKEN`' },
    ]);
    expect((await portolan(machine, ['call', 'hub', 'echo', 'text=x'], env)).stderr).toContain(
      'portolan set hub TOKEN',
    );
    await set(machine, ['hub', 'TOKEN']);
    expect(await portolan(machine, ['call', 'hub', 'echo', 'text=x'], env)).toMatchObject({ status: 0, stdout: 'x\n' });
  });

  it('prints the next command: another missing value, an approval, or the tools', async () => {
    using machine = makeMachine();
    const entry = (more: object) => JSON.stringify({ mcpServers: { hub: fixture([], more) } });
    machine.write({ '<project>/.cursor/mcp.json': entry({ env: { ONE: '', TWO: '' } }) });
    await portolan(machine, ['approve', 'hub', '--yes'], env);
    expect((await set(machine, ['hub', 'ONE'])).text).toContain('Next: portolan set hub TWO\n');
    expect((await set(machine, ['hub', 'TWO'])).text).toContain('Next: portolan approve hub\n');
    await portolan(machine, ['approve', 'hub', '--yes'], env);
    // A new value needs no new approval: the entry has only a reference.
    expect((await set(machine, ['hub', 'TWO'], 'other')).text).toContain('Next: portolan tools hub\n');
    expect((await portolan(machine, ['call', 'hub', 'echo', 'text=x'], env)).stdout).toBe('x\n');
  });

  it('says how to write the reference where the file cannot be edited, and then needs no edit', async () => {
    using machine = makeMachine();
    const seen = machine.path('~/seen.json');
    const { command, args } = fixture(['--env', seen]);
    const text = (value: string) =>
      `name: mine\nversion: 1.0.0\nmcpServers:\n  - name: hub\n    command: ${command}\n    args: ${JSON.stringify(args)}\n    env:\n      TOKEN: ${JSON.stringify(value)}\n`;
    machine.write({ '~/.continue/config.yaml': text('') });
    const { status, text: said } = await set(machine, ['hub', 'TOKEN']);
    expect(status).toBe(2);
    expect(said).toContain(
      'write the value in the entry as a reference to a variable TOKEN, in the notation of continue',
    );
    machine.write({ '~/.continue/config.yaml': text('${{ secrets.TOKEN }}') });
    expect(await set(machine, ['hub', 'TOKEN'])).toMatchObject({ status: 0 });
    expect(await environmentOf(machine, 'hub', seen)).toMatchObject({ TOKEN: SECRET });
  });

  it('takes no value as an argument, and says nothing about it', async () => {
    using machine = makeMachine();
    machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { hub: fixture() } }) });
    for (const args of [
      ['hub', 'TOKEN', SECRET],
      ['hub', `TOKEN=${SECRET}`],
    ]) {
      const { status, text } = await set(machine, args);
      expect({ status, isShown: text.includes(SECRET) }).toEqual({ status: 2, isShown: false });
      expect(text).toContain('takes no value as an argument');
    }
    expect((await set(machine, ['hub', 'TOKEN'], '')).text).toContain('nothing was stored');
    expect((await set(machine, ['hubb', 'TOKEN'])).text).toContain('did you mean hub?');
  });
});
