import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run-command.js';
import { type DiscoverOptions, discover, scanMachine } from '../../src/discovery/index.js';
import { inspectOwnSettings } from '../../src/use-cases/index.js';
import { NO_GATEWAY } from '../fakes/no-gateway.js';
import { type Machine, makeMachine } from '../support/machine.js';

interface More extends Partial<DiscoverOptions> {
  readonly ask?: () => Promise<string>;
}

async function portolan(machine: Machine, args: readonly string[], { ask, ...more }: More = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const options = machine.options(more);
  const status = await run(
    args,
    {
      out: (line) => out.push(line),
      err: (line) => err.push(line),
      colour: false,
      home: machine.home,
      ...(ask && { ask }),
    },
    {
      ...NO_GATEWAY,
      discover: (chosen) => scanMachine({ ...options, ...chosen }),
      inspectSettings: () => inspectOwnSettings(options),
      machine: options,
      version: '1.2.3',
      interactive: false,
    },
  );
  return { status, out: out.join('\n'), err: err.join('\n') };
}

const servers = (entries: object, key = 'mcpServers') => JSON.stringify({ [key]: entries });

async function statesIn(machine: Machine, more: Partial<DiscoverOptions> = {}) {
  const result = await discover(machine.options(more));
  return Object.fromEntries(result.servers.map(({ name, state }) => [name, state]));
}

describe('a repository', () => {
  it('does not share approvals of the same entry in another repository', async () => {
    using machine = makeMachine();
    const text = servers({
      own: { command: 'npm', args: ['run', 'mcp'] },
      web: { type: 'http', url: 'https://w.example/' },
    });
    machine.write({ '<project>/.mcp.json': text, '~/evil/.mcp.json': text });
    await portolan(machine, ['approve', '--all', '--yes']);
    expect(await statesIn(machine)).toEqual({ own: 'ready', web: 'ready' });
    expect(await statesIn(machine, { cwd: machine.path('~/evil') })).toEqual({ own: 'pending-approval', web: 'ready' });
  });

  it('keeps its approval in all subdirectories', async () => {
    using machine = makeMachine();
    machine.write({
      '<project>/.git/HEAD': '',
      '<project>/.github/mcp.json': servers({ own: { command: 'x' } }),
      '<project>/sub/x': '',
    });
    await portolan(machine, ['approve', 'own', '--yes']);
    expect(await statesIn(machine, { cwd: machine.path('<project>/sub') })).toEqual({ own: 'ready' });
  });

  it('cannot approve itself if XDG_CONFIG_HOME points into it', async () => {
    using machine = makeMachine();
    machine.write({ '<project>/.mcp.json': servers({ own: { command: 'evil' } }) });
    await portolan(machine, ['approve', 'own', '--yes']);
    for (const name of ['approvals.json', 'approvals.key'])
      machine.write({
        [`<project>/.cfg/portolan/${name}`]: readFileSync(machine.path(`~/.config/portolan/${name}`), 'utf8'),
        [`~/.config/portolan/${name}`]: '',
      });
    const env = { XDG_CONFIG_HOME: machine.path('<project>/.cfg') };
    expect(await statesIn(machine, { env })).toEqual({ own: 'pending-approval' });
    await portolan(machine, ['approve', 'own', '--yes'], { env });
    expect(await statesIn(machine, { env })).toEqual({ own: 'ready' });
    expect(readFileSync(machine.path('~/.config/portolan/approvals.json'), 'utf8')).toContain('evil');
  });

  it('cannot execute its settings if XDG_CONFIG_HOME points into it, also from a subdirectory', async () => {
    using machine = makeMachine();
    const mark = machine.path('<project>/ran');
    machine.write({
      '<project>/.git/HEAD': '',
      '<project>/sub/x': '',
      '<project>/.cfg/portolan/portolan.config.js': `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '');`,
    });
    const env = { XDG_CONFIG_HOME: machine.path('<project>/.cfg') };
    const { problems } = await discover(machine.options({ env, cwd: machine.path('<project>/sub') }));
    expect(existsSync(mark)).toBe(false);
    expect(problems).toMatchObject([{ code: 'settings-unapproved' }]);
  });

  it.each([
    { title: 'managed settings', files: { '/etc/opencode/opencode.json': servers({ x: { enabled: true } }, 'mcp') } },
    { title: 'an environment variable', env: { OPENCODE_CONFIG_CONTENT: servers({ x: { enabled: true } }, 'mcp') } },
  ])('needs approval for a command that it merges into an entry of $title', async ({ files = {}, env = {} }) => {
    using machine = makeMachine();
    machine.write({
      ...files,
      '<project>/opencode.json': servers({ x: { type: 'local', command: ['evil'] } }, 'mcp'),
    });
    expect(await statesIn(machine, { env, platform: 'linux' })).toEqual({ x: 'pending-approval' });
    await portolan(machine, ['approve', 'x', '--yes'], { env, platform: 'linux' });
    expect(await statesIn(machine, { env, platform: 'linux' })).toEqual({ x: 'ready' });
  });

  it('is skipped by import, without hiding servers of the user', async () => {
    using machine = makeMachine();
    machine.write({
      '<project>/.kiro/agents/agent.json': servers({ brought: { command: 'evil' } }),
      '<project>/.cursor/mcp.json': servers({ mine: { command: 'evil' } }),
      '~/.cursor/mcp.json': servers({ mine: { command: 'mine' } }),
    });
    const kiro = await portolan(machine, ['import', 'kiro', '--json']);
    expect(JSON.parse(kiro.out)).toMatchObject({ imported: [], passedOver: [{ name: 'brought' }] });
    await portolan(machine, ['import', 'cursor']);
    expect(JSON.parse(readFileSync(machine.path('~/.config/portolan/servers.json'), 'utf8'))).toEqual({
      mcpServers: { mine: { command: 'mine', args: [] } },
    });
  });

  it('cannot print control characters to the terminal', async () => {
    using machine = makeMachine();
    machine.write({
      '<project>/.mcp.json': servers({ own: { command: 'x' } }),
      '<project>/.claude/settings.json': JSON.stringify({ deniedMcpServers: [{ serverName: '*\u001b[2J*' }] }),
      '~/.claude.json': servers({ 'a\u001b[2Jb': { command: 'x' } }),
    });
    const why = await portolan(machine, ['why', 'a\u001b[2Jb']);
    expect(why.out).toContain('denied by serverName *\\x1b[2J*');
    expect(why.out).not.toContain('\u001b');
    machine.write({ '<project>/portolan.config.json': '{"x\\u001b[2J": 1}' });
    const { status, err } = await portolan(machine, ['list']);
    expect(status).toBe(2);
    expect(err).toContain('x\\x1b[2J');
    expect(err).not.toContain('\u001b');
  });
});

describe('the approval question', () => {
  const ENTRIES = {
    a: { command: 'node', args: ['s.js'], env: { NODE_OPTIONS: '--require ./evil.js' }, cwd: '/srv' },
    h: { type: 'http', url: 'https://good.example/mcp', headersHelper: 'sh helper.sh' },
  };

  it('shows the variables, the working directory and the headers helper of a server', async () => {
    using machine = makeMachine();
    machine.write({ '<project>/.mcp.json': servers(ENTRIES) });
    const { out } = await portolan(machine, ['approve', '--list']);
    expect(out).toContain('NODE_OPTIONS="--require ./evil.js"');
    expect(out).toContain('in       /srv');
    expect(out).toContain('helper   sh helper.sh');
    const { pending } = JSON.parse((await portolan(machine, ['approve', '--list', '--json'])).out);
    expect(pending[1].surroundings).toEqual({ helper: 'sh helper.sh' });
    expect((await portolan(machine, ['why', 'h'])).out).toContain('sh helper.sh');
  });

  it('shows a change of the headers helper', async () => {
    using machine = makeMachine();
    machine.write({ '<project>/.mcp.json': servers(ENTRIES) });
    await portolan(machine, ['approve', '--all', '--yes']);
    machine.write({
      '<project>/.mcp.json': servers({ ...ENTRIES, h: { ...ENTRIES.h, headersHelper: 'sh evil.sh' } }),
    });
    const { out } = await portolan(machine, ['approve', '--list']);
    expect(out).toContain('headersHelper: "sh helper.sh" → "sh evil.sh"');
  });

  it('decides nothing if it is interrupted, and prints no stack trace', async () => {
    using machine = makeMachine();
    machine.write({ '<project>/.mcp.json': servers(ENTRIES) });
    const answers = ['y'];
    const ask = async () =>
      answers.pop() ?? Promise.reject(Object.assign(new Error('interrupted'), { name: 'AbortError' }));
    const { status, err } = await portolan(machine, ['approve', '--all'], { ask });
    expect([status, err]).toEqual([1, 'CANCELLED: no approval was stored']);
    expect(await statesIn(machine)).toEqual({ a: 'pending-approval', h: 'pending-approval' });
  });

  it('does not resolve inputs that the entry needs', async () => {
    using machine = makeMachine();
    const entry = { command: 'node', args: ['${input:key}'] };
    machine.write({ '<project>/.vscode/mcp.json': servers({ v: entry }, 'servers') });
    await portolan(machine, ['approve', 'v', '--yes'], { clients: ['vscode'] });
    expect(await statesIn(machine, { clients: ['vscode'] })).toEqual({ v: 'needs-input' });
  });
});

describe('the lock file of a team', () => {
  it('has one entry for each server, also if two have the same name', async () => {
    using machine = makeMachine();
    machine.write({
      '<project>/.cursor/mcp.json': servers({ db: { command: 'one' } }),
      '<project>/.vscode/mcp.json': servers({ db: { command: 'two' } }, 'servers'),
    });
    await portolan(machine, ['approve', '--all', '--yes']);
    await portolan(machine, ['lock']);
    const lock = readFileSync(machine.path('<project>/portolan.lock.json'), 'utf8');
    expect(Object.keys(JSON.parse(lock).servers)).toEqual(['db', 'db_2']);
    machine.write({ '~/.config/portolan/approvals.json': '{"version":1,"rulings":{}}' });
    const { pending } = JSON.parse((await portolan(machine, ['approve', '--list', '--json'])).out);
    expect(pending.map(({ because }: { because: string }) => because)).toEqual(['reviewed', 'reviewed']);
  });

  it('contains no servers of the user', async () => {
    using machine = makeMachine();
    machine.write({
      '~/.config/portolan/portolan.config.json': '{"approval": "all"}',
      '~/MCPs/private.json': servers({ private: { command: 'x' } }),
    });
    await portolan(machine, ['approve', '--all', '--yes']);
    await portolan(machine, ['lock']);
    expect(readFileSync(machine.path('<project>/portolan.lock.json'), 'utf8')).not.toContain('private');
  });

  it('matches on another machine for an entry with an env file', async () => {
    const entry = { command: 'node', envFile: '${workspaceFolder}/.env' };
    const file = { '<project>/.vscode/mcp.json': servers({ v: entry }, 'servers') };
    using machine = makeMachine();
    machine.write(file);
    await portolan(machine, ['approve', 'v', '--yes']);
    await portolan(machine, ['lock']);
    const lock = readFileSync(machine.path('<project>/portolan.lock.json'), 'utf8');
    expect(lock).toContain('${workspaceFolder}/.env');
    using teammate = makeMachine();
    teammate.write({ ...file, '<project>/portolan.lock.json': lock });
    const { pending } = JSON.parse((await portolan(teammate, ['approve', '--list', '--json'])).out);
    expect(pending).toMatchObject([{ because: 'reviewed' }]);
  });
});

describe('printed and stored data', () => {
  it.each([
    ['list', '--json'],
    ['list', '--json', '--all'],
    ['why', 'a_2', '--json'],
    ['why', 'a_2'],
  ])('contains no value of a reference to a secret, also for a renamed server: %s %s %s', async (...args) => {
    using machine = makeMachine();
    machine.write({
      '~/MCPs/first.json': servers({ a: { command: 'first' } }),
      '~/.cursor/mcp.json': servers({ a: { command: 'x', args: ['${env:API_TOKEN}'], env: { A: '-${env:MY_KEY}' } } }),
    });
    const { out } = await portolan(machine, args, { env: { API_TOKEN: 'canary-1', MY_KEY: 'canary-2' } });
    expect(out).toContain('[secret]');
    expect(out).not.toContain('canary');
  });

  it('contains no default value of a reference to a secret', async () => {
    using machine = makeMachine();
    const entry = {
      command: 'x',
      args: ['--x=${API_TOKEN:-canary}', '${MODE:-fast}'],
      env: { A: '${MY_KEY:-canary}' },
    };
    machine.write({
      '<project>/.mcp.json': servers({ a: entry, u: { type: 'http', url: 'https://h.example/${MY_TOKEN:-canary}' } }),
    });
    await portolan(machine, ['approve', '--all', '--yes']);
    await portolan(machine, ['lock']);
    const lock = readFileSync(machine.path('<project>/portolan.lock.json'), 'utf8');
    expect(lock).toContain('${MODE:-fast}');
    const approvals = readFileSync(machine.path('~/.config/portolan/approvals.json'), 'utf8');
    const { out } = await portolan(machine, ['list', '--json', '--all']);
    expect([lock, approvals, out].filter((text) => text.includes('canary'))).toEqual([]);
  });
});

describe('an unreachable list of connectors', () => {
  it('is a problem without the password of its URL', async () => {
    using machine = makeMachine();
    const connectorsUrl = 'https://me:canary@127.0.0.1:1/x?token=canary';
    machine.write({ '~/.config/portolan/portolan.config.json': JSON.stringify({ connectorsUrl }) });
    const { problems } = await discover(machine.options());
    expect(problems).toMatchObject([{ code: 'connectors-unreachable' }]);
    expect(JSON.stringify(problems)).not.toContain('canary');
  });
});

describe('a command line', () => {
  it.each([
    ['list', 'x'],
    ['doctor', 'x'],
    ['lock', 'x'],
    ['why', 'a', 'x'],
    ['config', 'show', 'x'],
  ])('is rejected with an extra argument: %s %s %s', async (...args) => {
    using machine = makeMachine();
    const { status, err } = await portolan(machine, args);
    expect(status).toBe(2);
    expect(err).toContain('does not take the argument "x"');
  });

  it('of config show includes approved settings of the project', async () => {
    using machine = makeMachine();
    mkdirSync(machine.path('~/.config'), { recursive: true });
    machine.write({ '<project>/portolan.config.json': '{"limits": {"queue": 9999}}' });
    expect((await portolan(machine, ['config', 'validate'])).out).toContain('is ignored');
    await portolan(machine, ['approve', '--settings', '--yes']);
    expect(JSON.parse((await portolan(machine, ['config', 'show', '--json'])).out)).toMatchObject({
      settings: { limits: { queue: 9999 } },
      problems: [],
    });
  });
});

describe('managed servers', () => {
  it.each([{ file: '/ProgramData/Portolan/managed-mcp.json' }, { file: '/Program Files/ClaudeCode/managed-mcp.json' }])(
    'are read from $file on Windows, whatever the environment variables contain',
    async ({ file }) => {
      using machine = makeMachine();
      machine.write({ [file]: servers({}), '~/MCPs/a.json': servers({ a: { command: 'x' } }) });
      const env = { ProgramData: 'C:\\else', ProgramFiles: 'C:\\else' };
      expect(await statesIn(machine, { platform: 'win32', env })).toEqual({});
    },
  );
});
