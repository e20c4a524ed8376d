import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { commandOn } from '../support/cli-in-process.js';
import { environment, installed, PROGRAM, portolan } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

const CURSOR = '~/.cursor/mcp.json';
const WINDSURF = '~/.codeium/windsurf/mcp_config.json';
const ORIGINAL = '.portolan-original';
const isWindows = process.platform === 'win32';
const servers = (...names: string[]) =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])) });
const read = (machine: Machine, template: string) => readFileSync(machine.path(template), 'utf8');

/** A terminal at which each key is pressed when the text before it has appeared. */
function typing(keys: readonly { readonly after: string; readonly key: string }[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const waiting = [...keys];
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    const [next] = waiting;
    if (!next || !shown.includes(next.after)) return;
    waiting.shift();
    setImmediate(() => input.write(next.key));
  });
  return { terminal: { input, output }, shown: () => stripVTControlCharacters(shown) };
}

describe('portolan install without a client', () => {
  it('lists the clients at a terminal, shows what will change, asks once, and takes over the chosen ones', async () => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: servers('a', 'b'), [WINDSURF]: servers('c') });
    const { terminal, shown } = typing([
      { after: 'own servers?', key: '\r' },
      { after: 'Change these files?', key: 'y' },
    ]);
    const { status, out } = await commandOn(machine, ['install'], { platform: 'linux' }, { terminal });
    expect(status).toBe(0);
    // Both clients have servers of their own, so both are chosen at first.
    expect(shown()).toMatch(/(?:◼|\[\+\]) Cursor \(2 servers, tools of 2 not read yet\)/);
    expect(shown()).toMatch(/(?:◼|\[\+\]) Windsurf/);
    expect(shown().split('Change these files?').length).toBeGreaterThan(1);
    expect(out).toContain(`take over 2 servers in ${CURSOR}: a, b`);
    expect(out.indexOf('take over 2 servers')).toBeLessThan(out.indexOf('cursor no longer starts 2 servers'));
    expect(out).toContain('Next: restart cursor, windsurf');
    expect(Object.keys(JSON.parse(read(machine, CURSOR)).mcpServers)).toEqual(['portolan']);
    expect(JSON.parse(read(machine, WINDSURF)).mcpServers.c).toEqual({ command: 'c', disabled: true });
  });

  it.each([
    { title: 'the person declines', keys: [{ after: 'Change these files?', key: 'n' }], status: 1 },
    { title: 'the person presses Ctrl-C', keys: [{ after: 'Change these files?', key: '\u0003' }], status: 1 },
  ])('changes nothing if $title', async ({ keys, status }) => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: servers('a') });
    const { terminal } = typing([{ after: 'own servers?', key: '\r' }, ...keys]);
    const done = await commandOn(machine, ['install'], { platform: 'linux' }, { terminal });
    expect(done.status).toBe(status);
    expect(`${done.out}${done.err}`.toLowerCase()).toContain('nothing was changed');
    expect(read(machine, CURSOR)).toBe(servers('a'));
  });

  it('needs a terminal, and names the alternatives', async () => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: servers('a') });
    const { status, err } = await commandOn(machine, ['install']);
    expect([status, err]).toEqual([3, expect.stringContaining('TERMINAL_NEEDED')]);
    expect(err).toContain('name a client, add --yes');
    expect(read(machine, CURSOR)).toBe(servers('a'));
  });

  it('prints the plan with --json, and changes nothing', async () => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: servers('a') });
    const { status, out } = await commandOn(machine, ['install', '--json'], { platform: 'linux' });
    expect([status, JSON.parse(out)]).toMatchObject([
      0,
      {
        clients: [
          { client: 'cursor', servers: 1, plan: { takeOver: [{ file: machine.path(CURSOR), servers: ['a'] }] } },
        ],
      },
    ]);
    expect(read(machine, CURSOR)).toBe(servers('a'));
    expect(existsSync(machine.path(`${CURSOR}${ORIGINAL}`))).toBe(false);
  });

  it('installs in every detected client with --yes, also if one of them fails', async () => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: servers('a'), [`${CURSOR}${ORIGINAL}`]: '{}', [WINDSURF]: servers('b') });
    const { status, out } = await commandOn(machine, ['install', '--yes', '--json'], { platform: 'linux' });
    const { clients, failed } = JSON.parse(out);
    expect([status, failed]).toEqual([
      1,
      [{ client: 'cursor', code: 'WRITE_REFUSED', message: expect.any(String), hint: expect.any(String) }],
    ]);
    expect(clients).toMatchObject([{ client: 'windsurf', takenOver: [{ servers: [{ name: 'b', how: 'field' }] }] }]);
    rmSync(machine.path(`${CURSOR}${ORIGINAL}`));
    expect((await commandOn(machine, ['install', '--yes'], { platform: 'linux' })).status).toBe(0);
    const again = await commandOn(machine, ['install', '--yes'], { platform: 'linux' });
    expect(again.out).toBe('Portolan is installed in every detected client.');
  });
});

describe('the written entry', () => {
  it('is started once without PATH, and works', async () => {
    using machine = makeMachine();
    const { status, out } = await commandOn(machine, ['install', 'cursor', '--json'], { self: PROGRAM });
    const { command, args, verification } = JSON.parse(out);
    expect(status).toBe(0);
    expect(verification).toEqual({ kind: 'works', version: expect.stringMatching(/^\d/), ms: expect.any(Number) });
    expect([command, ...args]).toEqual([expect.stringMatching(/^(?:\/|[A-Z]:\\).*node/), PROGRAM]);
  });

  it.each([
    {
      title: 'exits',
      text: 'console.error("no such module"); process.exit(3);',
      because: 'exited with code 3: no such module',
    },
    { title: 'does not speak MCP', text: 'console.log("hello"); process.stdin.resume();', because: 'exited' },
  ])('is reported if it $title, and then no server is taken over', async ({ text, because }) => {
    using machine = makeMachine();
    machine.write({ '~/own.cjs': `${text}\nprocess.stdin.on('data', () => process.exit(1));`, [CURSOR]: servers('a') });
    const more = { self: machine.path('~/own.cjs') };
    const taken = await commandOn(machine, ['install', 'cursor', '--take-over'], more);
    expect([taken.status, taken.err]).toEqual([1, expect.stringContaining(because)]);
    expect(taken.err).toContain('nothing was changed');
    expect(read(machine, CURSOR)).toBe(servers('a'));
    const plain = await commandOn(machine, ['install', 'cursor'], more);
    expect([plain.status, plain.out]).toEqual([1, expect.stringContaining('does not work')]);
    expect(plain.out).toContain('→ to see the whole error, start `portolan serve` in a terminal');
  });

  it.skipIf(isWindows)('starts npx by its path if npx started this program', async () => {
    using machine = makeMachine();
    const answer = { jsonrpc: '2.0', id: 1, result: { serverInfo: { name: 'portolan', version: '9.9.9' } } };
    // As the real one, it is a script of the node beside it.
    machine.write({
      '~/node 20/bin/npx': `#!/usr/bin/env node\nprocess.stdin.once('data', () => { console.log(${JSON.stringify(JSON.stringify(answer))}); process.exit(); });\n`,
      '~/.npm/_npx/0a1b/node_modules/portolan/dist/cli.cjs': '',
    });
    machine.write({ '~/node 20/bin/node': `#!/bin/sh\nexec '${process.execPath}' "$@"\n` });
    const bin = dirname(machine.path('~/node 20/bin/npx'));
    for (const name of ['npx', 'node']) chmodSync(join(bin, name), 0o755);
    const more = {
      self: machine.path('~/.npm/_npx/0a1b/node_modules/portolan/dist/cli.cjs'),
      node: join(bin, 'node'),
    };
    const { out } = await commandOn(machine, ['install', 'cursor', '--json'], more);
    expect(JSON.parse(out)).toMatchObject({
      command: '/bin/sh',
      args: ['-c', `PATH='${bin}':"$PATH"; export PATH; exec npx -y portolan`],
      verification: { kind: 'works', version: '9.9.9' },
    });
    // It is recognised as Portolan under any name.
    machine.write({ [CURSOR]: read(machine, CURSOR).replace('"portolan"', '"gateway"') });
    expect(JSON.parse((await commandOn(machine, ['list', '--json'], more)).out).servers).toEqual([]);
  });

  it('gives no warning in doctor, in the file of any of these clients', async () => {
    using machine = makeMachine();
    for (const client of ['cursor', 'claude-code', 'codex', 'opencode', 'gemini-cli', 'vscode', 'goose', 'zed'])
      await commandOn(machine, ['install', client], { self: PROGRAM, platform: 'linux' });
    const { status, out } = await commandOn(machine, ['doctor', '--json'], { self: PROGRAM, platform: 'linux' });
    const problems: { severity: string }[] = JSON.parse(out).problems;
    expect([status, problems.filter(({ severity }) => severity !== 'info')]).toEqual([0, []]);
  });
});

describe('what a take-over saves', () => {
  it('is counted from the tools in the catalog, until the clients start nothing by themselves', async () => {
    using machine = makeMachine();
    const memory = installed('@modelcontextprotocol/server-memory');
    const mcpServers = { memory, ghost: { command: 'a-program-that-does-not-exist' } };
    machine.write({
      [CURSOR]: JSON.stringify({ mcpServers }),
      [WINDSURF]: JSON.stringify({ mcpServers: { notes: memory } }),
    });
    expect((await portolan(machine, ['tools', 'memory'])).status).toBe(0);
    const { takeOver } = JSON.parse((await portolan(machine, ['doctor', '--json'])).stdout);
    expect(takeOver).toEqual({
      clients: [
        { client: 'cursor', servers: 2, processes: 2, tools: 9, tokens: expect.any(Number), unread: ['ghost'] },
        { client: 'windsurf', servers: 1, processes: 1, tools: 9, tokens: expect.any(Number), unread: [] },
      ],
      processes: { now: 3, after: 2 },
    });
    expect(takeOver.clients[0].tokens).toBeGreaterThan(200);
    const { stdout } = await portolan(machine, ['doctor']);
    expect(stdout).toContain('A take-over (portolan install <client> --take-over) would save:');
    expect(stdout).toMatch(/windsurf starts 1 server by itself, 9 tools, about \d+ tokens in each conversation/);
    expect(stdout).toContain('3 processes become at most 2');
    const plan = JSON.parse((await portolan(machine, ['install', '--json'])).stdout);
    expect(plan.clients).toMatchObject([
      { client: 'cursor', servers: 2, tools: 9, unread: 1 },
      { client: 'windsurf', servers: 1, tools: 9, unread: 0 },
    ]);
    expect((await portolan(machine, ['install', '--yes'])).status).toBe(0);
    expect(JSON.parse((await portolan(machine, ['doctor', '--json'])).stdout).takeOver.clients).toEqual([]);
  });
});

/** Texts that are only in code that `list` does not need. */
const PROMPTS = /◼|\\u25fc/i;
const INSTALLATION = /to see the whole error, start/;
const SEARCH = /delete remove erase drop clear/;

describe('the parts of the program', () => {
  it.each([
    { args: ['list'], unused: [PROMPTS, INSTALLATION, SEARCH] },
    { args: ['install', 'cursor'], unused: [PROMPTS] },
    { args: ['install', '--json'], unused: [PROMPTS] },
  ])('that $args does not need are not loaded', ({ args, unused }) => {
    using machine = makeMachine();
    const dist = dirname(PROGRAM);
    const chunks = readdirSync(join(dist, 'chunks')).map((name) => readFileSync(join(dist, 'chunks', name), 'utf8'));
    const folder = mkdtempSync(join(tmpdir(), 'portolan-loaded-'));
    try {
      const env = environment(machine, { NODE_V8_COVERAGE: folder });
      spawnSync(process.execPath, [PROGRAM, ...args], { cwd: machine.project, env });
      const scripts = readdirSync(folder).flatMap(
        (name): { url: string }[] => JSON.parse(readFileSync(join(folder, name), 'utf8')).result,
      );
      const loaded = scripts
        .flatMap(({ url }) => (url.startsWith('file:') ? [fileURLToPath(url)] : []))
        .filter((path) => path.startsWith(join(dist, 'chunks')))
        .map((path) => readFileSync(path, 'utf8'));
      expect(loaded.length).toBeGreaterThan(0);
      for (const part of unused)
        expect([part, chunks.some((text) => part.test(text)), loaded.some((text) => part.test(text))]).toEqual([
          part,
          true,
          false,
        ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
