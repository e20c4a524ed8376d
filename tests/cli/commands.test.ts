import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Machine, makeMachine } from '../support/machine.js';

const program = join(dirname(fileURLToPath(import.meta.url)), '../../dist/cli.js');

function portolan(machine: Machine, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: machine.project,
    env: { PATH: process.env.PATH, HOME: machine.home, USERPROFILE: machine.home, PORTOLAN_DAEMON: 'never', ...env },
    encoding: 'utf8',
    input: '',
  });
  return { status, stdout, stderr };
}

const CURSOR = {
  '~/.cursor/mcp.json': JSON.stringify({
    mcpServers: {
      files: { command: 'node', args: ['server.js', '--api-key', 'k-123'], env: { API_TOKEN: 't-456', LEVEL: 'info' } },
      remote: { url: 'https://me:pw-789@host.example/mcp?token=q-000', headers: { 'X-Any': 'h-111' } },
      off: { command: 'node', disabled: true },
    },
  }),
};
const SECRETS = ['k-123', 't-456', 'pw-789', 'q-000', 'h-111'];

describe('portolan list', () => {
  it('prints the next steps on an empty machine', () => {
    using machine = makeMachine();
    const { status, stdout } = portolan(machine, ['list']);
    expect(status).toBe(0);
    expect(stdout).toContain('no servers configured');
    expect(stdout).toContain('portolan config sources');
  });

  it('prints one line for each server, without colours if stdout is a pipe', () => {
    using machine = makeMachine();
    machine.write(CURSOR);
    const { status, stdout } = portolan(machine, ['list']);
    expect(status).toBe(0);
    const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows.slice(0, 4)).toEqual([
      ['NAME', 'STATE', 'TRANSPORT', 'CLIENTS'],
      ['files', 'ready', 'stdio', 'cursor*'],
      ['remote', 'ready', 'auto', 'cursor*'],
      ['off', 'disabled', 'stdio', 'cursor'],
    ]);
    expect(stdout).toContain('3 servers, 2 ready');
    expect(stdout).not.toContain('\u001b');
  });

  it('prints servers and problems as JSON, and definitions only with --all', () => {
    using machine = makeMachine();
    machine.write(CURSOR);
    const brief = JSON.parse(portolan(machine, ['list', '--json']).stdout);
    const whole = JSON.parse(portolan(machine, ['list', '--json', '--all']).stdout);
    expect(Object.keys(brief)).toEqual(['servers', 'problems']);
    expect(Object.keys(whole)).toEqual(['definitions', 'servers', 'problems']);
    expect(whole.servers).toEqual(brief.servers);
    expect(whole.definitions).toMatchObject([{ name: 'files', line: 1 }, { name: 'remote' }, { name: 'off' }]);
  });

  it('masks every secret unless --show-secrets is given', () => {
    using machine = makeMachine();
    machine.write(CURSOR);
    const masked = portolan(machine, ['list', '--json', '--all']).stdout;
    expect(SECRETS.filter((secret) => masked.includes(secret))).toEqual([]);
    expect(masked).toContain('[secret]');
    expect(masked).toContain('"LEVEL": "info"');
    const shown = portolan(machine, ['list', '--json', '--all', '--show-secrets']).stdout;
    expect(SECRETS.filter((secret) => !shown.includes(secret))).toEqual([]);
  });

  it('escapes control characters in names', () => {
    using machine = makeMachine();
    machine.write({
      '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { 'a\u001b[2J\u202eb\nc': { command: 'node' } } }),
    });
    const { stdout } = portolan(machine, ['list']);
    expect(stdout).toContain('a\\x1b[2J\\u{202e}b\\x0ac');
    expect(stdout).not.toContain('\u001b');
  });

  it('reads only the file of --config, and exits with 2 if the file does not exist', () => {
    using machine = makeMachine();
    machine.write({ ...CURSOR, '~/own.json': '{"mcpServers":{"own":{"command":"node"}}}' });
    const { servers } = JSON.parse(
      portolan(machine, ['list', '--json', '--config', machine.path('~/own.json')]).stdout,
    );
    expect(servers).toMatchObject([{ name: 'own', state: 'ready' }]);
    const missing = portolan(machine, ['list'], { MCP_SERVERS_CONFIG: machine.path('~/none.json') });
    expect(missing.status).toBe(2);
    expect(missing.stdout).toBe('');
    expect(missing.stderr).toContain(machine.path('~/none.json'));
  });

  it('skips an entry that starts Portolan by its path', () => {
    using machine = makeMachine();
    machine.write({
      '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { gateway: { command: 'node', args: [program] } } }),
    });
    const { servers, problems } = JSON.parse(portolan(machine, ['list', '--json']).stdout);
    expect(servers).toEqual([]);
    expect(problems).toMatchObject([{ code: 'self-server', server: 'gateway' }]);
  });
});

describe('portolan why', () => {
  const DUPLICATES = {
    '~/MCPs/a.json': JSON.stringify({ mcpServers: { notes: { command: 'node', args: ['n.js'] } } }),
    '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { 'my-notes': { command: 'node', args: ['n.js'] } } }),
  };

  it('explains a server by the name of any of its definitions', () => {
    using machine = makeMachine();
    machine.write(DUPLICATES);
    const { status, stdout } = portolan(machine, ['why', 'my-notes']);
    expect(status).toBe(0);
    expect(stdout.split('\n')[0]).toBe('notes');
    expect(stdout).toContain('active    mcps-dir user  ~/MCPs/a.json:1  (ready there)');
    expect(stdout).toContain('duplicate cursor user  ~/.cursor/mcp.json:1 as "my-notes"  (ready there)');
  });

  it('shows which tools the entry enables and disables', () => {
    using machine = makeMachine();
    const files = { command: 'node', includeTools: ['read', 'list'], excludeTools: ['write'] };
    machine.write({ '~/.gemini/settings.json': JSON.stringify({ mcpServers: { files } }) });
    expect(portolan(machine, ['why', 'files']).stdout).toMatch(
      /^ {2}tools +its entry allows only read, list; its entry switches off write$/m,
    );
    expect(JSON.parse(portolan(machine, ['why', 'files', '--json']).stdout).tools).toEqual({
      allow: ['read', 'list'],
      deny: ['write'],
    });
  });

  it('exits with 2 for an unknown name, and suggests a similar one', () => {
    using machine = makeMachine();
    machine.write(DUPLICATES);
    const { status, stderr } = portolan(machine, ['why', 'note']);
    expect({ status, hasHint: stderr.includes('did you mean notes?') }).toEqual({ status: 2, hasHint: true });
  });
});

describe('portolan approve', () => {
  it.each(['approve', 'deny', 'why'])(
    '%s explains outside of the project that its servers are known only in its directory',
    (command) => {
      using machine = makeMachine();
      machine.write({ '<project>/.cursor/mcp.json': '{"mcpServers":{"brought":{"command":"node"}}}' });
      const { status, stderr } = portolan({ ...machine, project: machine.home }, [command, 'brought']);
      expect(status).toBe(2);
      expect(stderr).toContain('A server of a project is known only in its directory');
      machine.write({ '~/.cursor/mcp.json': '{"mcpServers":{"own":{"command":"node"}}}' });
      expect(portolan({ ...machine, project: machine.home }, [command, 'brought']).stderr).toBe(
        'SERVER_NOT_FOUND: there is no server called brought\n' +
          '  portolan list shows the names; a server of a project is known only in its directory\n',
      );
    },
  );
});

describe('portolan doctor', () => {
  it('exits with 1 for an error, and prints its file, line and a hint', () => {
    using machine = makeMachine();
    machine.write({ ...CURSOR, '~/.codex/config.toml': 'a = 1\n[mcp_servers.x\n' });
    const { status, stdout } = portolan(machine, ['doctor']);
    expect(status).toBe(1);
    expect(stdout).toContain('error parse-error ~/.codex/config.toml:2');
    expect(stdout).toContain('→');
    expect(stdout).toContain('3 servers in 1 file: 1 error, 0 warnings, 0 remarks');
  });

  it('exits with 0 if there are no problems, also with --json', () => {
    using machine = makeMachine();
    machine.write(CURSOR);
    const { status, stdout } = portolan(machine, ['doctor', '--json']);
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({
      status: 0,
      problems: [],
      sandbox: expect.any(Array),
    });
  });

  it('shows the engine of run_python, why the others cannot be used, and whether run_python is disabled', () => {
    using machine = makeMachine();
    const { sandbox } = JSON.parse(portolan(machine, ['doctor', '--json']).stdout);
    const names = sandbox.map(({ engine }: { engine: string }) => engine);
    expect(names).toEqual(['bwrap', 'deno', 'pyodide', 'podman', 'docker']);
    // Pyodide is a dependency, so at least one engine works on every machine.
    const [works] = sandbox.filter(({ state }: { state: string }) => state === 'works');
    expect(works).toMatchObject({ version: expect.stringContaining('Python'), guarantees: expect.any(Array) });
    for (const state of sandbox.filter((one: { state: string }) => one.state === 'fails'))
      expect(state).toMatchObject({ problem: expect.any(String), hint: expect.any(String) });
    const lines = portolan(machine, ['doctor']).stdout.split('\n');
    const heading = lines.indexOf(`run_python runs in ${works.engine}`);
    const listed = lines.slice(heading + 1, heading + 1 + names.length).map((line) => line.trim().split(' ')[0]);
    expect({ heading: heading >= 0, listed }).toEqual({ heading: true, listed: names });
    machine.write({ '~/.config/portolan/portolan.config.json': '{"sandbox": {"engine": "off"}}' });
    expect(portolan(machine, ['doctor']).stdout).toContain('run_python is switched off (sandbox.engine)');
  });
});

describe('portolan config sources', () => {
  it('lists every path, and whether it was read', () => {
    using machine = makeMachine();
    machine.write({ ...CURSOR, '~/.codex/config.toml': '[[' });
    const { sources } = JSON.parse(portolan(machine, ['config', 'sources', '--json']).stdout);
    const at = (path: string) => sources.find((source: { path: string }) => source.path === machine.path(path));
    expect(at('~/.cursor/mcp.json')).toEqual({
      client: 'cursor',
      scope: 'user',
      path: machine.path('~/.cursor/mcp.json'),
      found: 'read',
      servers: 3,
    });
    expect(at('~/.codex/config.toml')).toMatchObject({ found: 'failed', servers: 0 });
    expect(at('~/.warp/.mcp.json')).toMatchObject({ found: 'absent', servers: 0 });
    expect(sources.length).toBeGreaterThan(100);
    const { stdout } = portolan(machine, ['config', 'sources', '--found']);
    expect(stdout.split('\n').slice(1, 3)).toEqual([
      expect.stringMatching(/^cursor +user +3 servers +~\/\.cursor\/mcp\.json$/),
      expect.stringMatching(/^codex +user +broken +~\/\.codex\/config\.toml$/),
    ]);
  });
});

describe('portolan', () => {
  it.each([
    {
      title: 'an unknown command',
      args: ['zzzzzz'],
      output: 'portolan has no command "zzzzzz"\n  for the list of commands: portolan help\n',
    },
    { title: 'a mistyped command', args: ['lst'], output: 'portolan has no command "lst"\n  did you mean list?' },
    { title: 'an unknown flag', args: ['list', '--jsn'], output: 'portolan list has no flag --jsn' },
    { title: 'an unknown client', args: ['list', '--client', 'cursr'], output: 'there is no client called cursr' },
    { title: 'config without a subcommand', args: ['config'], output: 'portolan config sources' },
  ])('exits with 2 and prints a hint for $title', ({ args, output }) => {
    using machine = makeMachine();
    const { status, stdout, stderr } = portolan(machine, args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(output);
  });

  it('prints help and its version', () => {
    using machine = makeMachine();
    expect(portolan(machine, ['--help']).stdout).toMatch(/^ {2}doctor +list problems/m);
    expect(portolan(machine, ['list', '--help']).stdout).toContain('usage: portolan list');
    expect(portolan(machine, ['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('serves a client on stdin, and exits with 0 when stdin ends without a request', () => {
    using machine = makeMachine();
    const { status, stdout } = portolan(machine, []);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });
});
