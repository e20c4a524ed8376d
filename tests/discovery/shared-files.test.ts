import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type DiscoverOptions, discover } from '../../src/discovery/index.js';
import { CLIENTS } from '../../src/sources/index.js';
import { install } from '../../src/use-cases/index.js';
import { commandOn } from '../support/cli-in-process.js';
import { PROGRAM } from '../support/client-over-stdio.js';
import { type Machine, makeMachine, PLATFORMS } from '../support/machine.js';

const ENTRY = JSON.stringify({ mcpServers: { one: { command: 'node', args: ['one.js'] } } });

/** The clients that are listed as users of the server. */
async function usersOf(machine: Machine, more: Partial<DiscoverOptions> = {}): Promise<string[]> {
  const { servers } = await discover(machine.options({ platform: 'linux', ...more }));
  return servers.flatMap(({ origins }) => origins.map(({ client }) => client));
}

async function why(machine: Machine): Promise<string> {
  return (await commandOn(machine, ['why', 'one'], { platform: 'linux' })).out;
}

/** Cursor and mcphub.nvim both read `.cursor/mcp.json` of a project. */
describe('a file that several clients read', () => {
  it('of a home directory with Cursor alone belongs to Cursor, also if it is the working directory', async () => {
    using machine = makeMachine();
    machine.write({ '~/.cursor/mcp.json': ENTRY });
    expect(await usersOf(machine, { cwd: machine.home })).toEqual(['cursor']);
    expect(await usersOf(machine)).toEqual(['cursor']);
  });

  it('of a project lists no client that is not installed', async () => {
    using machine = makeMachine();
    machine.write({ '<project>/.cursor/mcp.json': ENTRY });
    mkdirSync(machine.path('~/.cursor'));
    expect(await usersOf(machine)).toEqual(['cursor']);
    const text = await why(machine);
    expect(text.match(/mcp\.json/g)).toHaveLength(1);
    expect(text).not.toContain('also read by');
  });

  it('is shown once by why, with the other installed clients that read it', async () => {
    using machine = makeMachine();
    machine.write({
      '<project>/.cursor/mcp.json': ENTRY,
      '~/.cursor/mcp.json': '{}',
      '~/.config/mcphub/servers.json': '{}',
    });
    expect(await usersOf(machine)).toEqual(['cursor', 'mcphub-nvim']);
    const text = await why(machine);
    expect(text.match(/mcp\.json/g)).toHaveLength(1);
    expect(text).toContain('also read by mcphub-nvim');
    const { out } = await commandOn(machine, ['why', 'one', '--json'], { platform: 'linux' });
    expect(JSON.parse(out).definitions).toMatchObject([
      { client: 'cursor', fate: 'active', alsoReadBy: [{ client: 'mcphub-nvim', clientState: 'ready' }] },
    ]);
  });

  it('belongs to the installed one of its readers, and to its owner if none is installed', async () => {
    using machine = makeMachine();
    machine.write({ '<project>/.cursor/mcp.json': ENTRY });
    expect(await usersOf(machine)).toEqual(['cursor']);
    mkdirSync(machine.path('~/.config/mcphub'), { recursive: true });
    expect(await usersOf(machine)).toEqual(['mcphub-nvim']);
  });

  it('keeps the references of its owner, also if only another client is installed that knows none', async () => {
    using machine = makeMachine();
    const text = JSON.stringify({ mcpServers: { one: { command: 'node', env: { LEVEL: '${LEVEL_OF_MINE}' } } } });
    machine.write({ '<project>/.mcp.json': text, '~/.config/Code/User/mcp.json': '{"servers":{}}' });
    const { servers } = await discover(machine.options({ platform: 'linux', env: { LEVEL_OF_MINE: 'high' } }));
    expect(servers).toMatchObject([{ env: { LEVEL: 'high' }, origins: [{ client: 'vscode' }] }]);
  });

  it('can still be started where the installed one of its readers only lists it', async () => {
    using machine = makeMachine();
    // Claude Code only lists the file of a parent directory.
    machine.write({
      '<project>/.mcp.json': ENTRY,
      '<project>/.git/HEAD': '',
      '<project>/a/x': '',
      '~/.claude.json': '{}',
    });
    const { servers } = await discover(machine.options({ platform: 'linux', cwd: machine.path('<project>/a') }));
    expect(servers).toMatchObject([{ state: 'pending-approval', origins: [{ client: 'claude-code' }] }]);
  });

  it('is reported once, by the rules of the clients that are installed', async () => {
    using machine = makeMachine();
    // mcphub.nvim knows no ${userHome} and would report it as missing.
    const text = JSON.stringify({ mcpServers: { one: { command: 'node', args: ['${userHome}/x.js'] } } });
    machine.write({ '<project>/.cursor/mcp.json': text, '~/.cursor/mcp.json': '{}' });
    const { problems } = await discover(machine.options({ platform: 'linux' }));
    expect(problems).toEqual([]);
  });
});

describe('after an installation', () => {
  const clients = CLIENTS.filter(({ id, places }) => id !== 'portolan' && places.some((place) => place.install));

  it.each(PLATFORMS)('doctor reports no warning for the entry of Portolan in any client on %s', async (platform) => {
    for (const npx of [false, true]) {
      using machine = makeMachine();
      const options = machine.options({ platform, self: PROGRAM });
      const installed: string[] = [];
      for (const { id } of clients)
        await install(id, { ...options, npx }).then(
          () => installed.push(id),
          () => undefined, // not on this platform
        );
      expect(installed.length).toBeGreaterThan(20);
      const { out } = await commandOn(machine, ['doctor', '--json'], { platform, self: PROGRAM });
      const { problems } = JSON.parse(out) as { problems: { severity: string }[] };
      expect(problems.filter(({ severity }) => severity !== 'info')).toEqual([]);
    }
  });
});
