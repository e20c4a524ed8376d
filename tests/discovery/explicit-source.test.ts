import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DiscoverOptions, discover, scanMachine } from '../../src/discovery/index.js';
import { makeMachine } from '../support/machine.js';

const one = (name: string) => JSON.stringify({ mcpServers: { [name]: { command: name } } });

/** Servers of every kind of place, none of which may be listed with an explicit source. */
const OTHERS = {
  '~/MCPs/other.json': one('other'),
  '~/.claude.json': one('other'),
  '<project>/.mcp.json': one('other'),
};

/** Both ways to name the source: the variable, and the option that `--config` fills. */
const WAYS: readonly { way: string; options: (target: string) => Partial<DiscoverOptions> }[] = [
  { way: 'MCP_SERVERS_CONFIG', options: (target) => ({ env: { MCP_SERVERS_CONFIG: target } }) },
  { way: 'the option', options: (config) => ({ config }) },
];

describe.each(WAYS)('a source named by $way', ({ options }) => {
  it('is the only source that is read, in the user scope and without approval', async () => {
    using machine = makeMachine();
    machine.write({ ...OTHERS, '<project>/own/servers.json': one('mine') });
    const { definitions, problems, pathReadings } = await scanMachine(
      machine.options(options(machine.path('<project>/own/servers.json'))),
    );
    expect(definitions).toMatchObject([
      { name: 'mine', scope: 'user', state: 'ready', source: machine.path('<project>/own/servers.json'), line: 1 },
    ]);
    expect(problems).toEqual([]);
    expect(pathReadings.map(({ path }) => path)).toEqual([machine.path('<project>/own/servers.json')]);
  });

  it('does not bypass managed servers, which replace all others', async () => {
    using machine = makeMachine();
    machine.write({ '<project>/own.json': one('mine'), '/etc/claude-code/managed-mcp.json': one('theirs') });
    const { servers } = await discover(machine.options(options(machine.path('<project>/own.json'))));
    expect(servers).toMatchObject([{ name: 'theirs', state: 'ready' }]);
  });

  it('may be a directory, whose *.json files are read in alphabetical order', async () => {
    using machine = makeMachine();
    machine.write({
      ...OTHERS,
      '<project>/own/b.json': one('b'),
      '<project>/own/a.json': one('a'),
      '<project>/own/Z.json': one('z'),
      '<project>/own/broken.json': '{',
      '<project>/own/c.yaml': 'mcpServers: { yaml: { command: y } }',
      '<project>/own/folder.json/d.json': one('d'),
    });
    symlinkSync(machine.path('<project>/gone.json'), machine.path('<project>/own/dangling.json'));
    const { definitions, problems } = await discover(machine.options(options(machine.path('<project>/own'))));
    expect(definitions.map(({ name, scope, state }) => ({ name, scope, state }))).toEqual(
      ['z', 'a', 'b'].map((name) => ({ name, scope: 'user', state: 'ready' })),
    );
    expect(problems).toMatchObject([{ code: 'parse-error', source: machine.path('<project>/own/broken.json') }]);
  });

  it('may be an empty directory', async () => {
    using machine = makeMachine();
    machine.write(OTHERS);
    mkdirSync(machine.path('<project>/own'));
    const found = await discover(machine.options(options(machine.path('<project>/own'))));
    expect(found).toEqual({ definitions: [], servers: [], problems: [] });
  });

  it.each([
    { title: 'a missing path', target: 'gone.json' },
    { title: 'a path below a file', target: '.mcp.json/gone.json' },
    { title: 'a dangling link', target: 'dangling.json' },
    { title: 'a pattern', target: '*.json' },
  ])('is an error with its path if it is $title, and no other source is read', async ({ target }) => {
    using machine = makeMachine();
    machine.write(OTHERS);
    symlinkSync(machine.path('<project>/gone.json'), machine.path('<project>/dangling.json'));
    const path = machine.path(`<project>/${target}`);
    await expect(discover(machine.options(options(path)))).rejects.toMatchObject({
      name: 'PortolanError',
      code: 'CONFIG_NOT_FOUND',
      message: expect.stringContaining(path),
      hint: expect.stringContaining('MCP_SERVERS_CONFIG'),
    });
  });

  it('may be relative to the project or to the home', async () => {
    using machine = makeMachine();
    machine.write({ '<project>/own/servers.json': one('near'), '~/servers.json': one('home') });
    const names = async (target: string) =>
      (await discover(machine.options(options(target)))).definitions.map(({ name }) => name);
    expect(await names('own/servers.json')).toEqual(['near']);
    expect(await names('./own')).toEqual(['near']);
    expect(await names(relative(machine.project, machine.path('~/servers.json')))).toEqual(['home']);
    expect(await names('~/servers.json')).toEqual(['home']);
    expect(await names('~')).toEqual(['home']);
  });

  it('is ignored if it is empty', async () => {
    using machine = makeMachine();
    machine.write({ '~/MCPs/usual.json': one('usual') });
    const { definitions } = await discover(machine.options(options('')));
    expect(definitions).toMatchObject([{ name: 'usual' }]);
  });

  it.each([
    { file: 'servers.yaml', text: '# mine\nmcpServers:\n  s:\n    command: s\n', line: 3 },
    { file: 'servers.yml', text: 'servers:\n  s:\n    command: s\n', line: 2 },
    { file: 'servers.toml', text: '[mcp_servers.s]\ncommand = "s"\n', line: 1 },
    { file: 'servers.TOML', text: '[mcpServers.s]\ncommand = "s"\n', line: 1 },
    { file: 'servers.json5', text: "{ mcpServers: { s: { command: 's' } } }", line: 1 },
    { file: 'servers.jsonc', text: '{ // mine\n  "mcpServers": { "s": { "command": "s" }, } }', line: 2 },
    { file: 'servers', text: one('s'), line: 1 },
    { file: 'servers.json', text: '{"servers":{"s":{"command":"s"}}}', line: 1 },
    { file: 'servers.json', text: '{"s":{"command":"s"}}', line: 1 },
  ])('is parsed by its extension: $file', async ({ file, text, line }) => {
    using machine = makeMachine();
    machine.write({ [`<project>/${file}`]: text });
    const { definitions, problems } = await discover(machine.options(options(machine.path(`<project>/${file}`))));
    expect(definitions).toMatchObject([{ name: 's', command: 's', scope: 'user', state: 'ready', line }]);
    expect(problems).toEqual([]);
  });

  it('is expanded from the environment and keeps the written form', async () => {
    using machine = makeMachine();
    const path = machine.path('<project>/servers.json');
    machine.write({ '<project>/servers.json': '{"mcpServers":{"s":{"command":"${CMD}","args":["${X:-x}"]}}}' });
    const given = options(path);
    const { definitions } = await discover(machine.options({ ...given, env: { ...given.env, CMD: 'c' } }));
    expect(definitions).toMatchObject([
      { command: 'c', args: ['x'], written: { command: '${CMD}', args: ['${X:-x}'] } },
    ]);
  });

  it('skips an invalid entry and an entry that starts Portolan', async () => {
    using machine = makeMachine();
    const path = machine.path('<project>/servers.json');
    machine.write({
      '<project>/servers.json': '{"mcpServers":{"bad":{},"portolan":{"command":"x"},"good":{"command":"g"}}}',
    });
    const { definitions, problems } = await discover(machine.options(options(path)));
    expect(definitions).toMatchObject([{ name: 'good' }]);
    expect(problems).toMatchObject([
      { code: 'invalid-entry', server: 'bad', source: path },
      { code: 'self-server', server: 'portolan', source: path },
    ]);
  });
});

describe('the option and the variable together', () => {
  it('use the option', async () => {
    using machine = makeMachine();
    machine.write({ '<project>/a.json': one('a'), '<project>/b.json': one('b') });
    const env = { MCP_SERVERS_CONFIG: machine.path('<project>/a.json') };
    const { definitions } = await discover(machine.options({ env, config: machine.path('<project>/b.json') }));
    expect(definitions).toMatchObject([{ name: 'b' }]);
  });
});

describe('the directory ~/MCPs', () => {
  it('may contain links to files; a dangling link is ignored, a link to itself is a problem', async () => {
    using machine = makeMachine();
    machine.write({
      '~/MCPs/real.json': one('real'),
      '<project>/linked.txt': one('linked'),
      '<project>/sub/x.json': one('x'),
    });
    const link = (to: string, name: string) => symlinkSync(to, machine.path(`~/MCPs/${name}`));
    link(machine.path('<project>/linked.txt'), 'a-linked.json');
    link(machine.path('<project>/gone'), 'b-dangling.json');
    link(machine.path('~/MCPs/c-loop.json'), 'c-loop.json');
    link(dirname(machine.path('<project>/sub/x.json')), 'd-folder.json');
    const { definitions, problems } = await discover(machine.options({ clients: ['mcps-dir'] }));
    expect(definitions).toMatchObject([
      { name: 'linked', source: machine.path('~/MCPs/a-linked.json') },
      { name: 'real', source: machine.path('~/MCPs/real.json') },
    ]);
    expect(problems).toMatchObject([{ code: 'unreadable-file', source: machine.path('~/MCPs/c-loop.json') }]);
  });

  it('is ignored if it is a file', async () => {
    using machine = makeMachine();
    machine.write({ '~/MCPs': one('x') });
    expect(await discover(machine.options({ clients: ['mcps-dir'] }))).toEqual({
      definitions: [],
      servers: [],
      problems: [],
    });
  });
});
