import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discover } from '../../src/discovery/index.js';
import { CLIENTS, installTargetsOf } from '../../src/sources/index.js';
import { commandOn as portolan } from '../support/cli-in-process.js';
import { type Machine, makeMachine, PLATFORMS, type Platform } from '../support/machine.js';
import { hostOn } from '../support/places.js';

/** An absolute path, so that the entry works without the shell's PATH. */
const NODE = expect.stringMatching(/^(?:\/|[A-Z]:\\).*node(?:\.exe)?$/);
const OWN = '~/.config/portolan/servers.json';

const read = (machine: Machine, template: string) => readFileSync(machine.path(template), 'utf8');

const next = (name: string) =>
  `Next: add Portolan to your AI clients with portolan install, or try the server here: portolan tools ${name}`;

describe('portolan add and remove', () => {
  it('write programs and URLs to servers.json, and the servers are ready without approval', async () => {
    using machine = makeMachine();
    const first = await portolan(machine, ['add', 'files', '--env', 'TOKEN=a=b', '--', 'npx', '-y', 'files', '--help']);
    expect([first.status, first.out]).toEqual([0, `Added files.\n  created ${OWN}\n${next('files')}`]);
    const second = await portolan(machine, ['add', 'web', '--url', 'https://w.example/mcp', '--header', 'X-Key: k:1']);
    expect(second.out).toBe(`Added web.\n  changed ${OWN}\n  backup: ${OWN}.portolan-backup\n${next('web')}`);
    expect(JSON.parse(read(machine, OWN))).toEqual({
      mcpServers: {
        files: { command: 'npx', args: ['-y', 'files', '--help'], env: { TOKEN: 'a=b' } },
        web: { type: 'http', url: 'https://w.example/mcp', headers: { 'X-Key': 'k:1' } },
      },
    });
    expect(statSync(machine.path(OWN)).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(machine.path(OWN))).mode & 0o777).toBe(0o700);
    const { servers, problems } = await discover(machine.options());
    expect(servers.map(({ name, state }) => [name, state])).toEqual([
      ['files', 'ready'],
      ['web', 'ready'],
    ]);
    expect(problems).toEqual([]);
  });

  it('keep comments and every other byte, also if the file is a symbolic link', async () => {
    using machine = makeMachine();
    const text = '{\n\t// mine\n\t"mcpServers": {\n\t\t"a": { "command":"a" }, // keep\n\t},\n}\n';
    machine.write({ '~/dotfiles/servers.json': text, '~/.config/portolan/other': '' });
    symlinkSync(machine.path('~/dotfiles/servers.json'), machine.path(OWN));
    await portolan(machine, ['add', 'b', '--', 'b']);
    expect(read(machine, OWN)).toBe(
      text.replace('// keep', '// keep\n\t\t"b": {\n\t\t\t"command": "b",\n\t\t\t"args": []\n\t\t},'),
    );
    await portolan(machine, ['remove', 'b']);
    expect(read(machine, OWN)).toBe(text);
    expect(lstatSync(machine.path(OWN)).isSymbolicLink()).toBe(true);
  });

  it('refuse an existing name, and replace it with --force', async () => {
    using machine = makeMachine();
    await portolan(machine, ['add', 'a', '--', 'one']);
    const before = read(machine, OWN);
    const again = await portolan(machine, ['add', 'a', '--', 'two']);
    expect(again.status).toBe(2);
    expect(again.err).toContain('NAME_TAKEN');
    expect(read(machine, OWN)).toBe(before);
    expect((await portolan(machine, ['add', 'a', '--force', '--', 'two'])).status).toBe(0);
    expect(JSON.parse(read(machine, OWN)).mcpServers.a.command).toBe('two');
  });

  it.each([
    { title: 'no name', args: ['add'] },
    { title: 'a command and no name', args: ['add', '--', 'node', '--json'] },
    { title: 'neither a command nor a URL', args: ['add', 'a'] },
    { title: 'both a command and a URL', args: ['add', 'a', '--url', 'https://a.example', '--', 'a'] },
    { title: 'a URL that is not HTTP', args: ['add', 'a', '--url', 'file:///etc/passwd'] },
    { title: 'a variable without a value', args: ['add', 'a', '--env', 's3cret', '--', 'a'] },
    { title: 'the name of this gateway', args: ['add', 'Portolan', '--', 'a'] },
    { title: 'a name with control characters', args: ['add', 'a\u001b[2J', '--', 'a'] },
    { title: 'an unknown flag', args: ['add', 'a', '--nonsense'] },
    { title: 'two names to remove', args: ['remove', 'a', 'b'] },
    { title: 'an unknown scope', args: ['add', 'a', '--scope', 'local', '--', 'a'] },
  ])('print their usage for $title', async ({ args }) => {
    using machine = makeMachine();
    const { status, err } = await portolan(machine, args);
    expect([status, err.startsWith('USAGE')]).toEqual([2, true]);
    expect(err).not.toContain('s3cret');
    expect(existsSync(machine.path(OWN))).toBe(false);
  });

  it('do not change a file with a syntax error, and report its line', async () => {
    using machine = makeMachine();
    machine.write({ [OWN]: '{\n  "mcpServers": {\n    oops\n' });
    const { status, err } = await portolan(machine, ['add', 'a', '--', 'a']);
    expect([status, err]).toEqual([
      2,
      expect.stringMatching(/EDIT_REFUSED: .*servers\.json: line 3 is not valid JSON/),
    ]);
    expect(read(machine, OWN)).toBe('{\n  "mcpServers": {\n    oops\n');
  });

  it('delete the file with its last server, and print the path of the backup', async () => {
    using machine = makeMachine();
    await portolan(machine, ['add', 'a', '--', 'a']);
    const { out } = await portolan(machine, ['remove', 'a', '--json']);
    const backup = `${machine.path(OWN)}.portolan-backup`;
    expect(JSON.parse(out)).toEqual({ name: 'a', file: machine.path(OWN), change: 'removed', backup });
    expect(JSON.parse(readFileSync(backup, 'utf8')).mcpServers.a).toEqual({ command: 'a', args: [] });
    const { status, err } = await portolan(machine, ['remove', 'a']);
    expect([status, err.startsWith('SERVER_NOT_FOUND')]).toEqual([2, true]);
  });

  it('write to the directory in XDG_CONFIG_HOME', async () => {
    using machine = makeMachine();
    const env = { XDG_CONFIG_HOME: join(machine.home, 'xdg') };
    const { out } = await portolan(machine, ['add', 'a', '--json', '--', 'a'], { env });
    expect(JSON.parse(out)).toEqual({
      name: 'a',
      file: machine.path('~/xdg/portolan/servers.json'),
      change: 'created',
    });
  });
});

describe('portolan import', () => {
  it('copies entries with references in the syntax of Portolan, and lists the skipped ones', async () => {
    using machine = makeMachine();
    machine.write({
      '~/.cursor/mcp.json': JSON.stringify({
        mcpServers: {
          files: { command: 'node', args: ['${userHome}/f.js', '${env:LATER}'], env: { TOKEN: '${env:TOKEN}' } },
          web: { url: 'https://w.example/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } },
          off: { command: 'off', disabled: true },
          here: { command: 'node', args: ['${workspaceFolder}/x.js'] },
          taken: { command: 'theirs' },
          portolan: { command: 'npx', args: ['-y', 'portolan'] },
        },
      }),
      '<project>/.cursor/mcp.json': '{"mcpServers":{"brought":{"command":"evil"}}}',
      [OWN]: '{"mcpServers":{"taken":{"command":"ours"}}}',
    });
    const env = { TOKEN: 's3cret', HOME: machine.home };
    const { out } = await portolan(machine, ['import', 'cursor', '--json'], { env });
    expect(JSON.parse(out)).toEqual({
      client: 'cursor',
      imported: ['files', 'web', 'off'],
      passedOver: [
        { name: 'here', because: expect.stringContaining('only its own client') },
        { name: 'taken', because: expect.stringContaining('already') },
        { name: 'brought', because: expect.stringContaining('approved') },
      ],
      file: machine.path(OWN),
      change: 'changed',
      backup: `${machine.path(OWN)}.portolan-backup`,
    });
    expect(JSON.parse(read(machine, OWN)).mcpServers).toEqual({
      taken: { command: 'ours' },
      files: { command: 'node', args: ['${HOME}/f.js', '${LATER}'], env: { TOKEN: '${TOKEN}' } },
      web: { url: 'https://w.example/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
      off: { command: 'off', args: [], disabled: true },
    });
    expect(read(machine, OWN)).not.toContain('s3cret');
    const { definitions } = await discover(machine.options({ env, clients: ['portolan'] }));
    expect(definitions.find(({ name }) => name === 'files')).toMatchObject({
      args: [`${machine.home}/f.js`, '${LATER}'],
      env: { TOKEN: 's3cret' },
    });
  });

  it.each(['portolan', 'unknown'])('fails with UNKNOWN_CLIENT for %s', async (client) => {
    using machine = makeMachine();
    expect((await portolan(machine, ['import', client])).err).toContain('UNKNOWN_CLIENT');
    expect((await portolan(machine, ['install', client])).err).toContain('UNKNOWN_CLIENT');
  });
});

describe('portolan install', () => {
  it.each([
    {
      client: 'cursor',
      file: '~/.cursor/mcp.json',
      text: '{\n    // mine\n    "mcpServers": {}\n}\n',
      has: '"mcpServers": {"portolan": {"command": "npx"',
    },
    { client: 'vscode', file: '~/.config/Code/User/mcp.json', text: '{\n\t"inputs": [],\n}', has: '"type": "stdio"' },
    {
      client: 'claude-code',
      file: '~/.claude.json',
      text: '{"numStartups":7,"mcpServers":{},"projects":{}}',
      has: '"numStartups":7,"mcpServers":{"portolan":{"type":"stdio"',
    },
    {
      client: 'codex',
      file: '~/.codex/config.toml',
      text: '# mine\r\nmodel = "x"\r\n',
      has: '[mcp_servers.portolan]\r\ncommand = "npx"',
    },
    {
      client: 'mistral-vibe',
      file: '~/.vibe/config.toml',
      text: 'mcp_servers = []\n# end',
      has: '[{ name = "portolan", transport = "stdio"',
    },
    {
      client: 'goose',
      file: '~/.config/goose/config.yaml',
      text: 'extensions:\n  dev: # built in\n    type: builtin\n    enabled: true\nGOOSE_MODEL: x\n',
      has: '    cmd: npx\n',
    },
    {
      client: 'continue',
      file: '~/.continue/config.yaml',
      text: 'name: me\nversion: 1.0.0\nmcpServers:\n  - name: a # first\n    command: a\n',
      has: '  - name: portolan\n    command: npx\n',
    },
    {
      client: 'opencode',
      file: '~/.config/opencode/opencode.jsonc',
      text: '{\n  "mcp": {\n    "a": { "type": "local", "command": ["a"] }\n  }\n}',
      has: '"type": "local"',
    },
    {
      client: 'opencode',
      file: '~/.config/opencode/opencode.json',
      text: '{"mcp":{"servers":{"a":{"type":"local","command":["a"]}}}}',
      has: '"portolan":{"type":"local","command":["npx","-y","portolan"]}}}',
    },
    {
      client: 'zed',
      file: '~/.config/zed/settings.json',
      text: '// Zed\n{\n  "theme": "One",\n}\n',
      has: '"context_servers": {\n    "portolan"',
    },
  ])(
    'adds Portolan to the file of $client, and restores every byte with --remove',
    async ({ client, file, text, has }) => {
      using machine = makeMachine();
      machine.write({ [file]: text });
      const put = await portolan(machine, ['install', client]);
      expect([put.status, put.err]).toEqual([0, '']);
      expect(put.out).toContain(`changed ${file}\n  backup: ${file}.portolan-backup`);
      expect(read(machine, file)).toContain(has);
      expect((await portolan(machine, ['install', client])).out).toContain('is unchanged');
      const taken = await portolan(machine, ['install', client, '--remove']);
      expect([taken.status, taken.err]).toEqual([0, '']);
      expect(read(machine, file)).toBe(text);
      expect((await portolan(machine, ['install', client, '--remove'])).err).toContain('SERVER_NOT_FOUND');
    },
  );

  it.each([
    { title: 'a clone', self: '<home>/src/portolan/dist/cli.js', program: { command: NODE, args: ['<self>'] } },
    {
      title: "npx's cache, without npx beside node",
      self: '<home>/.npm/_npx/0a1b/node_modules/portolan/dist/cli.js',
      node: '/no/such/bin/node',
      program: { command: 'npx', args: ['-y', 'portolan'] },
    },
  ])('writes the command that started it, from $title', async ({ self: place, program, ...more }) => {
    using machine = makeMachine();
    const self = place.replace('<home>', machine.home);
    mkdirSync(dirname(self), { recursive: true });
    writeFileSync(self, '');
    const { out } = await portolan(machine, ['install', 'cursor', '--json'], { self, ...more });
    const expected = { ...program, args: program.args.map((arg) => (arg === '<self>' ? self : arg)) };
    expect(JSON.parse(out)).toMatchObject({ client: 'cursor', ...expected, change: 'created' });
    expect(JSON.parse(read(machine, '~/.cursor/mcp.json'))).toEqual({ mcpServers: { portolan: expected } });
    const npx = JSON.parse((await portolan(machine, ['install', 'cursor', '--json', '--npx'], { self })).out);
    expect(npx.command).toBe('npx');
  });

  it('writes its path if npx installed it from a tarball', async () => {
    using machine = makeMachine();
    const cache = '~/.npm/_npx/0a1b';
    const self = `${cache}/node_modules/portolan/dist/cli.js`;
    machine.write({ [self]: '', [`${cache}/package.json`]: '{"dependencies":{"portolan":"file:../../x.tgz"}}' });
    const { out } = await portolan(machine, ['install', 'cursor', '--json'], { self: machine.path(self) });
    expect(JSON.parse(out)).toMatchObject({ command: NODE, args: [machine.path(self)] });
  });

  it.each(['', '\n', '{}', '{}\n', '{ }', '{"mcpServers":{}}'])('restores %j with --remove', async (text) => {
    using machine = makeMachine();
    machine.write({ '~/.cursor/mcp.json': text });
    await portolan(machine, ['install', 'cursor']);
    await portolan(machine, ['install', 'cursor', '--remove']);
    expect(read(machine, '~/.cursor/mcp.json')).toBe(text);
  });

  it('fails with NOT_INSTALLABLE for a client without a config file for servers', async () => {
    using machine = makeMachine();
    for (const client of ['jetbrains-ai', 'open-webui', 'toolhive']) {
      const { status, err } = await portolan(machine, ['install', client]);
      expect([status, err]).toEqual([2, expect.stringContaining('NOT_INSTALLABLE')]);
    }
  });
});

describe.each(PLATFORMS)('every client with a writable config file, on %s', (platform) => {
  const writable = CLIENTS.filter((client) => {
    using machine = makeMachine();
    return client.id !== 'portolan' && installTargetsOf(client, hostOn(machine, platform)).length > 0;
  });

  it('is one of more than 40', () => {
    expect(writable.length).toBeGreaterThan(40);
  });

  it.each(writable.map(({ id }) => id))('%s: reads the entry from a new file, which --remove deletes', async (id) => {
    using machine = makeMachine();
    const { file, ...put } = await installed(machine, id, platform);
    const command = platform === 'win32' ? 'cmd' : 'npx';
    expect(put).toMatchObject({ command, change: 'created' });
    // Discovery skips an entry that starts Portolan. Under another name it is an ordinary entry.
    const text = readFileSync(file, 'utf8').replaceAll('portolan', 'renamed');
    writeFileSync(file, text);
    const { definitions } = await discover(machine.options({ platform, clients: [id] }));
    const args = [...(platform === 'win32' ? ['/c', 'npx'] : []), '-y', 'renamed'];
    expect(definitions).toMatchObject([{ name: 'renamed', command, args, state: 'ready', source: file }]);
    writeFileSync(file, text.replaceAll('renamed', 'portolan'));
    await portolan(machine, ['install', id, '--remove'], { platform });
    expect(existsSync(file)).toBe(false);
  });
});

async function installed(machine: Machine, id: string, platform: Platform) {
  const { out, err } = await portolan(machine, ['install', id, '--json'], { platform });
  expect(err).toBe('');
  return JSON.parse(out);
}
