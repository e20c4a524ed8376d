import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scanMachine } from '../../src/discovery/index.js';
import { commandOn as portolan } from '../support/cli-in-process.js';
import { type Machine, makeMachine } from '../support/machine.js';

const CURSOR = '~/.cursor/mcp.json';
const ORIGINAL = '.portolan-original';
const RECORD = '.portolan-record';
const TEXT = `{
  // mine
  "mcpServers": {
    "files": { "command": "node", "args": ["files.js"] },
    "notes": { "command": "node", "args": ["notes.js"], "env": { "TOKEN": "s3cret" } },
    "off": { "command": "node", "disabled": true },
  },
  "other": 1
}
`;

interface Taken {
  readonly entries: readonly object[];
}

const read = (machine: Machine, template: string) => readFileSync(machine.path(template), 'utf8');
const json = async (machine: Machine, args: readonly string[], more = {}) => {
  const { status, out, err } = await portolan(machine, [...args, '--json'], more);
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out);
};
const states = async (machine: Machine, more = {}) => {
  const { servers } = await scanMachine(machine.options(more));
  return Object.fromEntries(servers.map(({ name, verdict, definition }) => [name, [verdict.kind, definition.state]]));
};

describe('portolan install --take-over', () => {
  it('moves the entries out of a file without switches and keeps every other byte', async () => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: TEXT });
    chmodSync(machine.path(CURSOR), 0o640);
    const before = await states(machine);
    const done = await json(machine, ['install', 'cursor', '--take-over']);
    expect(done.takenOver).toEqual([
      expect.objectContaining({
        file: machine.path(CURSOR),
        change: 'changed',
        original: machine.path(`${CURSOR}${ORIGINAL}`),
        shared: false,
        servers: [
          { name: 'files', how: 'removed' },
          { name: 'notes', how: 'removed' },
        ],
      }),
    ]);
    expect(read(machine, CURSOR)).toBe(`{
  // mine
  "mcpServers": {
    "off": { "command": "node", "disabled": true },
    "portolan": {
      "command": "npx",
      "args": [
        "-y",
        "portolan"
      ]
    },
  },
  "other": 1
}
`);
    expect(read(machine, `${CURSOR}${ORIGINAL}`)).toBe(TEXT);
    for (const file of [CURSOR, `${CURSOR}${ORIGINAL}`, `${CURSOR}${RECORD}`])
      expect(statSync(machine.path(file)).mode & 0o777).toBe(0o640);
    // The secret is in one more file, which has the same permissions, and in no backup.
    expect(existsSync(machine.path(`${CURSOR}.portolan-backup`))).toBe(false);
    expect(JSON.parse(read(machine, `${CURSOR}${RECORD}`))).toMatchObject({
      client: 'cursor',
      path: machine.path(CURSOR),
      entries: [
        { path: ['mcpServers', 'files'], hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
        { path: ['mcpServers', 'notes'], hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ],
    });
    expect(await states(machine)).toEqual(before);
    const { definitions } = await scanMachine(machine.options());
    expect(definitions.find(({ name }) => name === 'notes')).toMatchObject({
      source: machine.path(`${CURSOR}${ORIGINAL}`),
      line: 5,
      takenOver: true,
    });
    expect((await json(machine, ['install', 'cursor', '--undo'])).undone).toMatchObject([{ exact: true }]);
    expect(read(machine, CURSOR)).toBe(TEXT);
    expect(existsSync(machine.path(`${CURSOR}${ORIGINAL}`)) || existsSync(machine.path(`${CURSOR}${RECORD}`))).toBe(
      false,
    );
  });

  it.each([
    { client: 'windsurf', file: '~/.codeium/windsurf/mcp_config.json', has: '"disabled": true' },
    { client: 'cline', file: '~/.cline/data/settings/cline_mcp_settings.json', has: '"disabled": true' },
    { client: 'zed', file: '~/.config/zed/settings.json', key: 'context_servers', has: '"enabled": false' },
    { client: 'jan', file: '~/.local/share/Jan/data/mcp_config.json', has: '"active": false' },
    { client: 'gemini-cli', file: '~/.gemini/settings.json', has: '"excluded": ["a"]' },
  ])('uses the switch of $client and keeps the entry', async ({ client, file, key = 'mcpServers', has }) => {
    using machine = makeMachine();
    const text = `{ "${key}": { "a": { "command": "a", "args": [] } } }\n`;
    machine.write({ [file]: text });
    await json(machine, ['install', client, '--take-over']);
    expect(read(machine, file)).toContain('"a": {"command": "a"'.slice(0, 5));
    expect(read(machine, file)).toContain(has);
    expect(await states(machine)).toEqual({ a: ['allowed', 'ready'] });
    await json(machine, ['install', client, '--undo']);
    expect(read(machine, file)).toBe(text);
  });

  it.each([
    {
      client: 'codex',
      file: '~/.codex/config.toml',
      text: '# mine\r\n[mcp_servers.a]\r\ncommand = "a" # x\r\n\r\n[mcp_servers.a.env]\r\nT = "1"\r\n',
      now: '# mine\r\n[mcp_servers.a]\r\ncommand = "a" # x\r\nenabled = false\r\n\r\n[mcp_servers.a.env]\r\nT = "1"\r\n',
    },
    {
      client: 'codex',
      file: '~/.codex/config.toml',
      text: 'mcp_servers.a.command = "a"\nmcp_servers.b = { command = "b" }',
      now: 'mcp_servers.a.command = "a"\nmcp_servers.a.enabled = false\nmcp_servers.b = { command = "b", enabled = false }',
    },
    {
      client: 'goose',
      file: '~/.config/goose/config.yaml',
      text: 'extensions:\n  a: # x\n    type: stdio\n    cmd: a\n    enabled: true\n  dev:\n    type: builtin\n    enabled: true\n',
      now: 'extensions:\n  a: # x\n    type: stdio\n    cmd: a\n    enabled: false\n  dev:\n    type: builtin\n    enabled: true\n',
    },
    {
      client: 'opencode',
      file: '~/.config/opencode/opencode.json',
      text: '{"mcp":{"a":{"type":"local","command":["a"]}}}',
      now: '{"mcp":{"a":{"type":"local","command":["a"],"enabled":false}',
    },
    {
      client: 'opencode',
      file: '~/.config/opencode/opencode.json',
      text: '{"mcp":{"servers":{"a":{"type":"local","command":["a"]}}}}',
      now: '{"mcp":{"servers":{"a":{"type":"local","command":["a"],"disabled":true}',
    },
  ])('adds one value to the file of $client: $text', async ({ client, file, text, now }) => {
    using machine = makeMachine();
    machine.write({ [file]: text });
    const before = await states(machine);
    await json(machine, ['install', client, '--take-over']);
    expect(read(machine, file).startsWith(now)).toBe(true);
    expect(await states(machine)).toEqual(before);
    await json(machine, ['install', client, '--undo']);
    expect(read(machine, file)).toBe(text);
  });

  it('does not overwrite the original at a second take-over, and restores both', async () => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: TEXT });
    await json(machine, ['install', 'cursor', '--take-over']);
    const later = read(machine, CURSOR).replace('"off"', '"later": { "command": "later" },\n    "off"');
    writeFileSync(machine.path(CURSOR), later);
    const done = await json(machine, ['install', 'cursor', '--take-over']);
    expect(done.takenOver[0].servers).toEqual([{ name: 'later', how: 'removed' }]);
    expect(read(machine, `${CURSOR}${ORIGINAL}`)).toContain('s3cret');
    expect(Object.keys(await states(machine)).toSorted()).toEqual(['files', 'later', 'notes', 'off']);
    // Nor when Portolan's own entry is written again.
    await json(machine, ['install', 'cursor', '--npx'], { platform: 'linux' });
    expect(read(machine, `${CURSOR}${ORIGINAL}`)).toContain('s3cret');
    await json(machine, ['install', 'cursor', '--remove']);
    const { mcpServers } = await jsoncOf(machine, CURSOR);
    expect(Object.keys(mcpServers).toSorted()).toEqual(['files', 'later', 'notes', 'off']);
    expect(mcpServers.notes.env.TOKEN).toBe('s3cret');
  });

  it('restores exactly the moved entries if the file was edited, without its own directory', async () => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: TEXT });
    await json(machine, ['install', 'cursor', '--take-over']);
    const edited = read(machine, CURSOR)
      .replace('"other": 1', '"other": 2, // by hand')
      .replace('"off"', '"files": { "command": "mine" },\n    "off"');
    writeFileSync(machine.path(CURSOR), edited);
    for (const own of ['~/.config/portolan', '~/.local/state/portolan', '~/.cache/portolan'])
      rmSync(machine.path(own), { recursive: true, force: true });
    const { undone } = await json(machine, ['install', 'cursor', '--undo']);
    expect(undone).toMatchObject([
      {
        exact: false,
        servers: [
          { name: 'files', result: 'kept' },
          { name: 'notes', result: 'restored' },
        ],
      },
    ]);
    const after = await jsoncOf(machine, CURSOR);
    expect(after).toEqual({
      mcpServers: {
        files: { command: 'mine' },
        off: { command: 'node', disabled: true },
        notes: { command: 'node', args: ['notes.js'], env: { TOKEN: 's3cret' } },
      },
      other: 2,
    });
    expect(read(machine, CURSOR)).toContain('// by hand');
  });

  it('keeps an entry disabled that the user disabled before or afterwards', async () => {
    using machine = makeMachine();
    machine.write({
      [CURSOR]: TEXT,
      '~/.gemini/settings.json': '{"mcpServers":{"a":{"command":"a"},"b":{"command":"b"}},"mcp":{"excluded":["b"]}}',
    });
    await json(machine, ['install', 'cursor', '--take-over']);
    await json(machine, ['install', 'gemini-cli', '--take-over']);
    expect((await states(machine)).off).toEqual(['unavailable', 'disabled']);
    expect((await states(machine)).a).toEqual(['allowed', 'ready']);
    expect((await states(machine)).b).toEqual(['unavailable', 'disabled']);
    // Gemini CLI writes this file for `gemini mcp disable a`; in Cursor a person writes the entry again.
    machine.write({ '~/.gemini/mcp-server-enablement.json': '{"a":{"enabled":false}}' });
    const again = read(machine, CURSOR).replace(
      '"off"',
      '"files": { "command": "node", "disabled": true },\n    "off"',
    );
    writeFileSync(machine.path(CURSOR), again);
    expect((await states(machine)).a).toEqual(['unavailable', 'disabled']);
    expect((await states(machine)).files).toEqual(['unavailable', 'disabled']);
  });

  it('takes over the servers of every project in the file of Claude Code', async () => {
    using machine = makeMachine();
    const text = JSON.stringify({
      numStartups: 7,
      mcpServers: { u: { command: 'u' } },
      projects: {
        [machine.project]: { mcpServers: { here: { command: 'here' } } },
        '/elsewhere': { mcpServers: { there: { command: 'there' } }, disabledMcpServers: [] },
      },
    });
    machine.write({ '~/.claude.json': text });
    const done = await json(machine, ['install', 'claude-code', '--take-over']);
    expect(done.takenOver[0].servers.map(({ name }: { name: string }) => name)).toEqual(['u', 'here', 'there']);
    expect(Object.keys(await states(machine)).toSorted()).toEqual(['here', 'u']);
    const { mcpServers, projects } = JSON.parse(read(machine, '~/.claude.json'));
    expect([Object.keys(mcpServers), projects['/elsewhere'].mcpServers ?? {}]).toEqual([['portolan'], {}]);
    await json(machine, ['install', 'claude-code', '--undo']);
    expect(read(machine, '~/.claude.json')).toBe(text);
  });

  it.each([
    { title: 'after the copy was written', left: [ORIGINAL], isTaken: false },
    { title: 'after the record was written', left: [ORIGINAL, RECORD], isTaken: false },
    { title: 'of an undo, after the file was restored', left: [ORIGINAL, RECORD], isTaken: false },
    { title: 'of an undo, after the record was deleted', left: [ORIGINAL], isTaken: false },
    { title: 'after everything was written', left: [ORIGINAL, RECORD], isTaken: true },
  ])('loses nothing in a crash $title', async ({ left, isTaken }) => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: TEXT });
    const before = await states(machine);
    await json(machine, ['install', 'cursor', '--take-over']);
    const taken = read(machine, CURSOR);
    if (!isTaken) machine.write({ [CURSOR]: TEXT });
    for (const suffix of [ORIGINAL, RECORD]) if (!left.includes(suffix)) rmSync(machine.path(`${CURSOR}${suffix}`));
    expect(await states(machine)).toEqual(before);
    // The take-over can be repeated, and undone.
    await json(machine, ['install', 'cursor', '--take-over']);
    expect(read(machine, CURSOR)).toBe(taken);
    expect(await states(machine)).toEqual(before);
    await json(machine, ['install', 'cursor', '--undo']);
    expect(await states(machine)).toEqual(before);
    expect(await jsoncOf(machine, CURSOR)).toMatchObject({ mcpServers: { notes: { env: { TOKEN: 's3cret' } } } });
    expect(existsSync(machine.path(`${CURSOR}${ORIGINAL}`))).toBe(false);
  });

  it('leaves a copy without a record alone, because it may be the only one', async () => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: TEXT, [`${CURSOR}${ORIGINAL}`]: '{"mcpServers":{"lost":{"command":"x"}}}' });
    const { status, err } = await portolan(machine, ['install', 'cursor', '--take-over']);
    expect([status, err]).toEqual([2, expect.stringContaining('WRITE_REFUSED')]);
    expect(read(machine, CURSOR)).toBe(TEXT);
    expect(read(machine, `${CURSOR}${ORIGINAL}`)).toContain('lost');
  });

  it.skipIf(process.getuid?.() !== 0)('gives the copies to the owner of the file', async () => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: TEXT });
    chownSync(machine.path(CURSOR), 1234, 1234);
    await json(machine, ['install', 'cursor', '--take-over']);
    for (const file of [CURSOR, `${CURSOR}${ORIGINAL}`, `${CURSOR}${RECORD}`])
      expect(statSync(machine.path(file)).uid).toBe(1234);
    // A copy of another user could define servers in the name of this one.
    chownSync(machine.path(`${CURSOR}${ORIGINAL}`), 4321, 4321);
    expect(Object.keys(await states(machine))).toEqual(['off']);
    const { err } = await portolan(machine, ['install', 'cursor', '--undo']);
    expect(err).toContain('belongs to another user');
  });
});

describe('a take-over of project files', () => {
  const FILE = '<project>/.mcp.json';
  const SHARED = '{"mcpServers":{"team":{"command":"node","args":["team.js"]}}}\n';

  it('needs --project, tells that the team sees it, and lets git ignore the copies', async () => {
    using machine = makeMachine();
    machine.write({ [FILE]: SHARED, '<project>/.git/HEAD': 'ref: refs/heads/main\n', '~/.claude.json': '{}' });
    expect((await json(machine, ['install', 'claude-code', '--take-over'])).takenOver).toEqual([]);
    expect(read(machine, FILE)).toBe(SHARED);
    const { out } = await portolan(machine, ['install', 'claude-code', '--take-over', '--project']);
    expect(out).toContain('your team sees this change');
    expect(out).toContain('nothing was committed');
    expect(read(machine, '<project>/.git/info/exclude')).toBe(
      '/.mcp.json.portolan-original\n/.mcp.json.portolan-record\n',
    );
    expect(JSON.parse(read(machine, FILE))).toEqual({ mcpServers: {} });
    // It waits for approval as before: it is still part of the repository.
    expect(await states(machine)).toEqual({ team: ['needs-approval', 'pending-approval'] });
    await json(machine, ['install', 'claude-code', '--undo']);
    expect(read(machine, FILE)).toBe(SHARED);
    expect(read(machine, '<project>/.git/info/exclude')).toBe('');
  });

  it('gives nothing to a repository that brings a forged record', async () => {
    using machine = makeMachine();
    const forged = {
      portolan: 'take-over',
      version: 1,
      client: 'claude-code',
      // The directory of the record counts, and not this one.
      path: machine.path('~/.mcp.json'),
      left: '0'.repeat(64),
      edited: false,
      entries: [
        { name: 'evil', path: ['mcpServers', 'evil'], list: false, hash: '0'.repeat(64), how: { kind: 'removed' } },
      ],
    };
    machine.write({
      '<project>/.git/HEAD': 'ref: refs/heads/main\n',
      '~/.claude.json': '{"mcpServers":{"mine":{"command":"mine"}}}',
      [FILE]: '{"mcpServers":{}}',
      [`${FILE}${ORIGINAL}`]: '{"mcpServers":{"evil":{"command":"evil"},"mine":{"command":"evil"}}}',
      [`${FILE}${RECORD}`]: JSON.stringify(forged),
    });
    expect(await states(machine)).toEqual({ mine: ['allowed', 'ready'], evil: ['needs-approval', 'pending-approval'] });
    // Undo writes only to the file beside the record, whatever path the record names.
    const before = read(machine, '~/.claude.json');
    await json(machine, ['install', 'claude-code', '--undo']);
    expect(read(machine, '~/.claude.json')).toBe(before);
    expect(Object.keys(JSON.parse(read(machine, FILE)).mcpServers)).toEqual(['evil']);
    expect(await states(machine)).toEqual({ mine: ['allowed', 'ready'], evil: ['needs-approval', 'pending-approval'] });
  });

  it.each([
    { title: 'no JSON', record: () => 'x' },
    { title: 'another version', record: (valid: object) => JSON.stringify({ ...valid, version: 2 }) },
    {
      title: 'too many entries',
      record: ({ entries }: Taken) => JSON.stringify({ entries: Array.from({ length: 1001 }, () => entries[0]) }),
    },
    ...[['__proto__', 'evil'], ['constructor', 'prototype', 'evil'], Array.from({ length: 100_000 }, () => 'a')].map(
      (path) => ({
        title: `the path ${path.slice(0, 3).join('.')}`,
        record: (valid: Taken) => JSON.stringify({ ...valid, entries: [{ ...valid.entries[0], path }] }),
      }),
    ),
  ])('reads no entry for a record with $title', async ({ record }) => {
    using machine = makeMachine();
    machine.write({ [FILE]: SHARED, '<project>/.git/HEAD': 'ref: refs/heads/main\n' });
    await json(machine, ['install', 'claude-code', '--take-over', '--project']);
    const valid = JSON.parse(read(machine, `${FILE}${RECORD}`));
    machine.write({
      [`${FILE}${RECORD}`]: record(valid),
      [`${FILE}${ORIGINAL}`]: '{"__proto__":{"evil":{"command":"evil"}},"mcpServers":{"team":{"command":"evil"}}}',
    });
    expect(await states(machine)).toEqual({});
    expect(Object.hasOwn(Object.prototype, 'evil')).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('refuses a copy that more users can change than the file', async () => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: TEXT });
    await json(machine, ['install', 'cursor', '--take-over']);
    chmodSync(machine.path(`${CURSOR}${ORIGINAL}`), 0o666);
    expect(Object.keys(await states(machine))).toEqual(['off']);
    const { status, err } = await portolan(machine, ['install', 'cursor', '--undo']);
    expect([status, err]).toEqual([2, expect.stringContaining('can be changed by other users')]);
  });

  it('refuses a record of another file', async () => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: TEXT, '<project>/.git/HEAD': 'ref: refs/heads/main\n', [FILE]: SHARED });
    await json(machine, ['install', 'cursor', '--take-over']);
    for (const suffix of [ORIGINAL, RECORD])
      machine.write({ [`${FILE}${suffix}`]: read(machine, `${CURSOR}${suffix}`) });
    const taken = read(machine, CURSOR);
    expect(await states(machine)).toMatchObject({ team: ['needs-approval', 'pending-approval'] });
    const { problems } = await scanMachine(machine.options());
    expect(problems).toContainEqual(
      expect.objectContaining({
        code: 'take-over-ignored',
        message: expect.stringContaining('is the record of another file'),
      }),
    );
    expect((await portolan(machine, ['install', 'claude-code', '--undo'])).status).toBe(2);
    expect([read(machine, FILE), read(machine, CURSOR)]).toEqual([SHARED, taken]);
  });

  it.each([
    { title: 'a linked worktree', link: '~/main/.git/worktrees/w', common: '../..\n', info: '~/main/.git' },
    { title: 'a submodule', link: '~/main/.git/modules/m', info: '~/main/.git/modules/m' },
  ])('lets git ignore the copies in $title', async ({ link, common, info }) => {
    using machine = makeMachine();
    machine.write({
      [FILE]: SHARED,
      '<project>/.git': `gitdir: ${machine.path(link)}\n`,
      [`${link}/HEAD`]: 'ref: refs/heads/w\n',
      [`${info}/HEAD`]: 'ref: refs/heads/main\n',
      ...(common !== undefined && { [`${link}/commondir`]: common }),
    });
    const { gitExclude } = await json(machine, ['install', 'claude-code', '--take-over', '--project']);
    expect(gitExclude).toBe(machine.path(`${info}/info/exclude`));
    expect(read(machine, `${info}/info/exclude`)).toContain('/.mcp.json.portolan-original\n');
  });

  it.each([ORIGINAL, RECORD])('refuses a link as %s', async (suffix) => {
    using machine = makeMachine();
    machine.write({
      [FILE]: SHARED,
      '<project>/.git/HEAD': 'ref: refs/heads/main\n',
      '~/secret': '{"mcpServers":{"k":{"command":"k"}}}',
    });
    await json(machine, ['install', 'claude-code', '--take-over', '--project']);
    writeFileSync(machine.path('~/kept'), read(machine, `${FILE}${suffix}`));
    rmSync(machine.path(`${FILE}${suffix}`));
    symlinkSync(machine.path(suffix === RECORD ? '~/kept' : '~/secret'), machine.path(`${FILE}${suffix}`));
    expect(await states(machine)).toEqual({});
    const { problems } = await scanMachine(machine.options());
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'take-over-ignored', message: expect.stringContaining('is a link') }),
    );
    const { status } = await portolan(machine, ['install', 'claude-code', '--undo']);
    expect(status).toBe(2);
    expect(JSON.parse(read(machine, FILE))).toEqual({ mcpServers: {} });
    expect(read(machine, '~/secret')).toContain('"k"');
  });

  it('does not follow a link of the repository, to a file or to a directory', async () => {
    using machine = makeMachine();
    machine.write({ '~/victim/mcp.json': TEXT, '<project>/.git/HEAD': 'ref: refs/heads/main\n' });
    symlinkSync(machine.path('~/victim'), machine.path('<project>/.cursor'));
    const folder = await portolan(machine, ['install', 'cursor', '--take-over', '--project']);
    expect([folder.status, folder.err]).toEqual([2, expect.stringContaining('leads out of the project')]);
    rmSync(machine.path('<project>/.cursor'));
    mkdirSync(machine.path('<project>/.cursor'));
    symlinkSync(machine.path('~/victim/mcp.json'), machine.path('<project>/.cursor/mcp.json'));
    const file = await portolan(machine, ['install', 'cursor', '--take-over', '--project']);
    expect([file.status, file.err]).toEqual([2, expect.stringContaining('is a link')]);
    expect(read(machine, '~/victim/mcp.json')).toBe(TEXT);
    expect(existsSync(join(machine.home, 'victim', `mcp.json${ORIGINAL}`))).toBe(false);
  });
});

describe('what still starts by itself', () => {
  it('is marked in the list until it is taken over', async () => {
    using machine = makeMachine();
    machine.write({ [CURSOR]: TEXT, '~/.config/portolan/servers.json': '{"mcpServers":{"own":{"command":"own"}}}' });
    const before = await portolan(machine, ['list']);
    expect(before.out).toMatch(/files +ready +stdio +cursor\*/);
    expect(before.out).toMatch(/off +disabled +stdio +cursor$/m);
    expect(before.out).toMatch(/own +ready +stdio +portolan$/m);
    expect(before.out).toContain('* 2 servers that a client starts by itself: portolan install cursor --take-over');
    const startedBy = async () =>
      Object.fromEntries(
        (await json(machine, ['list'])).servers.map((one: { name: string; startedBy?: string[] }) => [
          one.name,
          one.startedBy,
        ]),
      );
    expect(await startedBy()).toMatchObject({ files: ['cursor'], notes: ['cursor'] });
    machine.write({ '~/.codeium/windsurf/mcp_config.json': '{"mcpServers":{"w":{"command":"w"}}}' });
    expect((await portolan(machine, ['list'])).out).toContain('starts by itself: portolan install\n');
    for (const client of ['cursor', 'windsurf']) await portolan(machine, ['install', client, '--take-over']);
    expect((await portolan(machine, ['list'])).out).not.toContain('*');
    expect(await startedBy()).toEqual({});
  });

  it('names --project for a file of the project, which is not taken over without it', async () => {
    using machine = makeMachine();
    machine.write({
      '~/.config/opencode/opencode.json': '{}',
      '<project>/opencode.json': '{"mcp":{"team":{"type":"local","command":["node"]}}}',
    });
    const { out } = await portolan(machine, ['list'], { platform: 'linux' });
    expect(out).toContain('starts by itself: portolan install opencode --take-over --project\n');
    expect((await portolan(machine, ['install', '--yes'])).status).toBe(0);
    expect((await portolan(machine, ['install', '--yes'])).out).toBe('Portolan is installed in every detected client.');
    const { clients } = await json(machine, ['install', '--project', '--json']);
    expect(clients).toMatchObject([{ client: 'opencode', isSuggested: true, plan: { takeOver: [{ shared: true }] } }]);
  });

  it('has no command for a server of an administrator', async () => {
    using machine = makeMachine();
    machine.write({
      '~/.claude.json': '{}',
      '/etc/claude-code/managed-mcp.json': '{"mcpServers":{"m":{"command":"m"}}}',
    });
    const { out } = await portolan(machine, ['list'], { platform: 'linux' });
    expect(out).toContain('* 1 server that a client starts by itself, from a plugin or an administrator');
    const doctor = await portolan(machine, ['doctor'], { platform: 'linux' });
    expect(doctor.out).not.toContain('A take-over');
  });
});

/** The file without its comments and trailing commas. */
async function jsoncOf(machine: Machine, template: string) {
  const { parseText } = await import('../../src/sources/formats/index.js');
  const parsed = await parseText(read(machine, template), 'json');
  if (parsed.kind !== 'parsed') throw new Error(parsed.message);
  return Object(parsed.document.value);
}
