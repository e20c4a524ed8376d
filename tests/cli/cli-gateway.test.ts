import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configure, environment, fixture, installed, PROGRAM, portolan } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

let machine: Machine;

beforeAll(async () => {
  machine = makeMachine();
  configure(
    machine,
    {
      own: fixture(['own'], { env: { OWN_SECRET: 'topsecret' } }),
      dying: fixture(['--dies', 'no key was given']),
      'Two words': fixture(['--dies', 'I have none']),
      everything: installed('@modelcontextprotocol/server-everything'),
    },
    { toolRules: [{ pattern: ['mutter'], enabled: false, tags: ['noisy'] }] },
  );
  machine.write({ '<project>/.cursor/mcp.json': JSON.stringify({ mcpServers: { brought: fixture(['brought']) } }) });
  // Fills the catalog.
  await portolan(machine, ['tools', 'own']);
});

afterAll(() => machine[Symbol.dispose]());

/** Longer than a finished command waits before it exits. */
const READ_DELAY_MS = 3_000;
const run = (...args: string[]) => portolan(machine, args);
const json = async (...args: string[]) => {
  const { status, stdout, stderr } = await run(...args, '--json');
  return { status, stderr, value: JSON.parse(stdout) };
};

describe('portolan tools', () => {
  it('prints a line for each tool', async () => {
    const { status, stdout } = await run('tools', 'own');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^TOOL +MARKS +SUMMARY\necho +Echoes a text\n/);
    expect(stdout).toContain('7 tools · portolan inspect own <tool>');
    expect(stdout).not.toContain('mutter');
  });

  it('lists disabled tools with --all', async () => {
    const { stdout } = await run('tools', 'own', '--all');
    expect(stdout).toMatch(/\nmutter +off noisy +Writes all its variables on stderr\n/);
    const { value } = await json('tools', 'own', '--all');
    expect(value).toEqual({
      server: 'own',
      tools: expect.arrayContaining([
        { name: 'echo', summary: 'Echoes a text', enabled: true, tags: [] },
        { name: 'mutter', summary: 'Writes all its variables on stderr', enabled: false, tags: ['noisy'] },
      ]),
    });
  });

  it.each([
    { args: [], code: 'USAGE', hint: 'usage: portolan tools' },
    { args: ['own', 'more'], code: 'USAGE', hint: 'usage: portolan tools' },
    { args: ['own', '--nope'], code: 'USAGE', hint: 'usage: portolan tools' },
    { args: ['onw'], code: 'SERVER_NOT_FOUND', hint: 'did you mean own' },
    { args: ['brought'], code: 'SERVER_NOT_APPROVED', hint: 'portolan approve brought' },
    { args: ['dying'], code: 'CONNECTION_ERROR', hint: 'portolan logs dying' },
  ])('fails for $args with $code and prints nothing on stdout', async ({ args, code, hint }) => {
    const { status, stdout, stderr } = await run('tools', ...args);
    expect({ isFailure: status > 0, stdout }).toEqual({ isFailure: true, stdout: '' });
    expect(stderr).toContain(`${code}: `);
    expect(stderr).toContain(hint);
  });
});

describe('portolan inspect', () => {
  it('prints the parameters of a tool and a call to try', async () => {
    const { status, stdout } = await run('inspect', 'own', 'echo');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^own echo\nEchoes a text\.\n\ntext +string +required\n\ntry: portolan call own echo --args '/,
    );
    const tried = /--args '(.*)'$/m.exec(stdout)?.[1] ?? '';
    expect((await run('call', 'own', 'echo', '--args', tried)).status).toBe(0);
  });

  it('prints the complete schema with --json', async () => {
    expect((await json('inspect', 'own', 'sleep')).value).toMatchObject({
      server: 'own',
      tool: 'sleep',
      inputSchema: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] },
    });
  });

  it('prints why a tool is disabled, and no call to try', async () => {
    const { status, stdout } = await run('inspect', 'own', 'mutter');
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout:
        'own mutter\nWrites all its variables on stderr.\n' +
        'the tool mutter of own is disabled: a rule in the settings disables it\n' +
        '  you can see the rule with: portolan config show\n\nIt takes no arguments.\n',
    });
    expect((await json('inspect', 'own', 'mutter')).value).toMatchObject({ tool: 'mutter', enabled: false });
    expect((await json('inspect', 'own', 'echo')).value).not.toHaveProperty('enabled');
  });

  it('suggests the closest name for an unknown tool', async () => {
    const { status, stderr } = await run('inspect', 'own', 'sleeep');
    expect(status).toBe(2);
    expect(stderr).toContain('TOOL_NOT_FOUND');
    expect(stderr).toContain('did you mean sleep');
  });
});

describe('portolan tools and inspect with --json', () => {
  it.each([
    { args: ['tools', 'onw'], status: 2, code: 'SERVER_NOT_FOUND', about: { server: 'onw' } },
    { args: ['tools', 'dying'], status: 1, code: 'CONNECTION_ERROR', about: { server: 'dying' } },
    { args: ['inspect', 'own', 'ecco'], status: 2, code: 'TOOL_NOT_FOUND', about: { server: 'own', tool: 'ecco' } },
  ])(
    'print the error of $args on stdout and exit with $status, as without --json',
    async ({ args, status, code, about }) => {
      const error = { code, message: expect.any(String), ...about, hint: expect.any(String) };
      expect(await json(...args)).toEqual({ status, stderr: '', value: { success: false, error } });
      expect((await run(...args)).status).toBe(status);
    },
  );
});

describe('an unknown name', () => {
  it.each([
    { args: ['tools', 'zzz'], hint: 'portolan list' },
    { args: ['inspect', 'zzz', 'echo'], hint: 'portolan list' },
    { args: ['inspect', 'own', 'zzzzzzzz'], hint: 'portolan tools own' },
  ])('makes $args exit with 2 and suggest the command that lists the names', async ({ args, hint }) => {
    const { status, stderr } = await run(...args);
    expect({ status, hasHint: stderr.includes(hint) }).toEqual({ status: 2, hasHint: true });
  });
});

describe('portolan call', () => {
  it.each([
    { title: 'JSON', args: ['own', 'echo', '--args', '{"text":"a b"}'], printed: 'a b\n' },
    { title: 'a key=value pair', args: ['own', 'echo', 'text=a=b'], printed: 'a=b\n' },
    {
      title: 'a pair that looks like a number for a string parameter',
      args: ['own', 'echo', 'text=7'],
      printed: '7\n',
    },
    { title: 'a pair for a number parameter', args: ['own', 'sleep', 'ms=1'], printed: 'slept 1\n' },
    {
      title: 'pairs for two number parameters',
      args: ['everything', 'get-sum', 'a=1', 'b=2.5'],
      printed: 'The sum of 1 and 2.5 is 3.5.\n',
    },
  ])('accepts arguments as $title and prints the result', async ({ args, printed }) => {
    expect(await run('call', ...args)).toEqual({ status: 0, stdout: printed, stderr: '' });
  });

  it('prints a summary of an image, and its data with --json', async () => {
    const { stdout } = await run('call', 'everything', 'get-tiny-image');
    expect(stdout).toMatch(/\[image image\/png, \d+ characters of base64; --json shows them\]/);
    const { value } = await json('call', 'everything', 'get-tiny-image');
    expect(value).toMatchObject({ success: true, result: { content: expect.any(Array) } });
    expect(JSON.stringify(value)).toContain('iVBOR');
  });

  it('exits with 0 and prints {success, result} with --json', async () => {
    expect(await json('call', 'own', 'echo', 'text=a')).toEqual({
      status: 0,
      stderr: '',
      value: { success: true, result: { content: [{ type: 'text', text: 'a' }] } },
    });
  });

  it('exits with 1 if the tool returns an error', async () => {
    expect(await run('call', 'own', 'complain')).toEqual({
      status: 1,
      stdout: 'this is my own complaint\n',
      stderr: '',
    });
    // A script that reads only `success` must not mistake an error for a result.
    expect(await json('call', 'own', 'complain')).toEqual({
      status: 1,
      stderr: '',
      value: {
        success: false,
        error: {
          code: 'TOOL_EXECUTION_ERROR',
          message: 'this is my own complaint',
          server: 'own',
          tool: 'complain',
        },
        result: {
          content: [{ type: 'text', text: 'this is my own complaint' }],
          isError: true,
          _meta: { kind: 'own' },
        },
      },
    });
  });

  it.each([
    {
      args: ['own', 'echo'],
      code: 'TOOL_VALIDATION_ERROR',
      hint: 'echo(text: string); nearest valid arguments: --args',
    },
    { args: ['own', 'ecco'], code: 'TOOL_NOT_FOUND', hint: 'echo' },
    { args: ['own', 'mutter'], code: 'TOOL_DISABLED', hint: 'portolan config show' },
    { args: ['onw', 'echo'], code: 'SERVER_NOT_FOUND', hint: 'own' },
    { args: ['brought', 'echo'], code: 'SERVER_NOT_APPROVED', hint: 'portolan approve brought' },
    { args: ['dying', 'echo'], code: 'CONNECTION_ERROR', hint: 'portolan logs dying' },
    { args: ['own', 'echo', '--args', '[]'], code: 'USAGE', hint: '--args' },
    { args: ['own', 'echo', 'text'], code: 'USAGE', hint: 'key=value' },
  ])('exits with 1 and prints {success, error} for $args: $code', async ({ args, code, hint }) => {
    const { status, value } = await json('call', ...args);
    expect({ status, value }).toEqual({
      status: 1,
      value: {
        success: false,
        error: {
          code,
          message: expect.any(String),
          server: args[0],
          tool: args[1],
          hint: expect.stringContaining(hint),
        },
      },
    });
  });

  it('prints the error on stderr without --json', async () => {
    expect(await run('call', 'own', 'ecco')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'TOOL_NOT_FOUND: own has no tool named "ecco"\n  did you mean echo?\n',
    });
  });

  it('calls a server that only --server defines', async () => {
    const command = `node=${process.execPath} ${fixture().args[0]}`;
    expect(await run('call', 'node', 'echo', 'text=a', '--server', command)).toEqual({
      status: 0,
      stdout: 'a\n',
      stderr: '',
    });
  });

  it('requires a server and a tool', async () => {
    const { status, stderr } = await run('call', 'own');
    expect([status, stderr]).toEqual([2, expect.stringContaining('call needs a tool')]);
  });
});

describe('portolan logs', () => {
  it('prints the last lines that a server wrote to stderr, with secrets masked', async () => {
    await run('call', 'dying', 'echo');
    expect(await run('logs', 'dying')).toEqual({ status: 0, stdout: 'no key was given \n', stderr: '' });
    await run('call', 'own', 'exit');
    expect((await json('logs', 'own')).value).toEqual({ server: 'own', lines: ['leaving with [secret]'] });
  });

  it('reports that a server has no log', async () => {
    expect((await run('logs', 'brought')).stdout).toContain('has written nothing on stderr, or was never started');
  });

  it('accepts an alias, as every other command does', async () => {
    await run('call', 'Two words', 'echo');
    expect((await json('logs', 'two_words')).value).toEqual({ server: 'Two words', lines: ['I have none '] });
  });

  it('prints the log of a server that is no longer configured', async () => {
    await run('call', 'gone', 'echo', '--server', `gone=${process.execPath} ${fixture().args[0]} --dies farewell`);
    expect((await run('logs', 'gone')).stdout).toBe('farewell \n');
  });

  it.each([
    { wanted: 'no-such-server', hint: 'portolan list' },
    { wanted: 'dyin', hint: 'did you mean dying' },
    { wanted: 'dyng', hint: 'did you mean dying' },
    { wanted: 'onw', hint: 'did you mean own' },
    { wanted: '../../etc/passwd', hint: 'portolan list' },
  ])('fails with SERVER_NOT_FOUND for $wanted', async ({ wanted, hint }) => {
    const { status, stdout, stderr } = await run('logs', wanted);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('SERVER_NOT_FOUND');
    expect(stderr).toContain(hint);
    const error = { code: 'SERVER_NOT_FOUND', message: expect.any(String), server: wanted };
    for (const command of ['logs', 'why'])
      expect(await json(command, wanted)).toEqual({
        status: 2,
        stderr: '',
        value: { success: false, error: { ...error, hint: expect.stringContaining(hint) } },
      });
  });
});

describe('a command with --json that fails before it starts', () => {
  it.each([
    { args: ['approve', 'unknown'], code: 'SERVER_NOT_FOUND' },
    { args: ['deny', 'unknown'], code: 'SERVER_NOT_FOUND' },
    { args: ['login', 'unknown'], code: 'SERVER_NOT_FOUND' },
    { args: ['logout', 'unknown'], code: 'SERVER_NOT_FOUND' },
    { args: ['list', '--client', 'unknown'], code: 'UNKNOWN_CLIENT' },
    { args: ['list', '--wrong'], code: 'USAGE' },
  ])('prints the error of $args on stdout', async ({ args, code }) => {
    const error = { code, message: expect.any(String), hint: expect.any(String) };
    expect(await json(...args)).toEqual({ status: 2, stderr: '', value: { success: false, error } });
    expect(await run(...args)).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(code) });
  });

  it('prints the error on stderr if stdout carries MCP messages or --json follows --', async () => {
    expect(await run('serve', '--json')).toMatchObject({ status: 2, stdout: '' });
    expect(await run('list', '--wrong', '--', '--json')).toMatchObject({ status: 2, stdout: '' });
  });
});

describe('portolan audit', () => {
  it('lists each call without its arguments', async () => {
    const before = (await json('audit')).value.entries.length;
    await run('call', 'own', 'echo', 'text=an-argument');
    await run('call', 'own', 'ecco');
    const { status, value } = await json('audit', '--verify');
    expect(status).toBe(0);
    expect(value.entries.slice(before)).toMatchObject([
      { client: 'portolan call', server: 'own', tool: 'echo', outcome: 'ok' },
      { client: 'portolan call', server: 'own', tool: 'ecco', outcome: 'TOOL_NOT_FOUND' },
    ]);
    expect(JSON.stringify(value)).not.toContain('an-argument');
    expect(value.chains.map(({ state }: { state: { kind: string } }) => state.kind)).not.toContain('broken');
    expect((await run('audit', '--last', '1')).stdout).toMatch(/portolan call +own +ecco +TOOL_NOT_FOUND/);
  });
});

describe('a result larger than the pipe buffer', () => {
  it('is printed completely to a slow reader', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'call', 'own', 'large', 'letters=3000000'], {
      cwd: machine.project,
      env: environment(machine),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    await once(child.stdout, 'readable');
    await pause(READ_DELAY_MS);
    let letters = 0;
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      letters += chunk.trim().length;
    });
    expect([await closed, letters]).toEqual([[0, null], 3_000_000]);
  });
});
