import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configure, connect, fixture, portolan } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

let machine: Machine;

beforeAll(async () => {
  machine = makeMachine();
  configure(
    machine,
    {
      first: fixture(['same']),
      second: fixture(['same']),
      third: fixture(['other']),
      denied: fixture(['same']),
    },
    {
      deniedMcpServers: [{ serverName: 'denied' }],
      toolRules: [{ server: 'second', pattern: ['mutter'], enabled: false }],
    },
  );
  machine.write({
    '<project>/.mcp.json': JSON.stringify({
      mcpServers: {
        disguise: fixture(['same']),
        third: fixture(['same']),
        approved: fixture(['brought']),
        duplicate: fixture(['brought']),
      },
    }),
  });
  await portolan(machine, ['approve', 'approved', '--yes']);
});

afterAll(() => machine[Symbol.dispose]());

describe('a server with several definitions', () => {
  it.each([
    { name: 'second', primary: 'first' },
    { name: 'duplicate', primary: 'approved' },
  ])('can be listed, described and called as $name', async ({ name, primary }) => {
    const run = (...args: string[]) => portolan(machine, args);
    expect(await run('call', name, 'echo', 'text=a')).toEqual({ status: 0, stdout: 'a\n', stderr: '' });
    expect((await run('tools', name)).stdout).toContain('Echoes a text');
    expect((await run('inspect', name, 'echo')).stdout).toMatch(`${primary} echo\n`);
    await using client = await connect(machine);
    expect(await client.execute(name, 'echo', { text: 'b' })).toEqual({ content: [{ type: 'text', text: 'b' }] });
    expect(await client.ask('list_tools', { server: name })).toMatchObject({ server: primary });
    const { results } = await client.ask('search_tools', { query: 'echo', server: name });
    expect(results[0]).toMatchObject({ server: primary, tool: 'echo' });
  });

  it('has one name in the audit log, whichever name a call used', async () => {
    for (const name of ['first', 'second']) await portolan(machine, ['call', name, 'echo', 'text=a']);
    const { entries } = JSON.parse((await portolan(machine, ['audit', '--last', '2', '--json'])).stdout);
    expect(entries.map(({ server }: { server: string }) => server)).toEqual(['first', 'first']);
    const queries = ['first', 'second'].map((name) => portolan(machine, ['audit', '--server', name, '--last', '2']));
    const [byName, byOther] = (await Promise.all(queries)).map(({ stdout }) => stdout);
    expect(byName).toMatch(/first +echo/);
    expect(byOther).toBe(byName);
  });

  it('is subject to tool rules for each of its names', async () => {
    await using client = await connect(machine);
    for (const name of ['first', 'second']) {
      const { structuredContent } = await client.execute(name, 'mutter', {});
      expect(structuredContent).toMatchObject({ error: { code: 'TOOL_DISABLED' } });
    }
    expect((await client.ask('list_tools', { server: 'third' })).tools).toContainEqual(
      expect.objectContaining({ name: 'mutter' }),
    );
  });

  it.each([
    { title: 'of a denied definition', name: 'denied' },
    { title: 'of a project file without approval', name: 'disguise' },
  ])('cannot be called by the name $title', async ({ name }) => {
    await using client = await connect(machine);
    const { structuredContent } = await client.execute(name, 'echo', { text: 'c' });
    expect(structuredContent).toMatchObject({ error: { code: 'SERVER_NOT_FOUND' } });
  });

  it('does not receive a name that belongs to another server', async () => {
    await using client = await connect(machine);
    expect(await client.ask('list_tools', { server: 'third' })).toMatchObject({ server: 'third' });
  });
});

describe('a project file without approval', () => {
  it.each([{}, { disabled: true }])('adds no name to a server for which a rule enables tools: %j', async (more) => {
    using other = makeMachine();
    const toolRules = [
      { server: 'trusted', pattern: ['*'], enabled: true },
      { server: 'github', pattern: ['sleep'], enabled: true },
    ];
    configure(
      other,
      { admin: fixture(['same']), github: fixture(['another']) },
      { toolRules, toolDefault: 'disabled' },
    );
    const duplicate = { ...fixture(['same']), ...more };
    other.write({
      '<project>/.roo/mcp.json': JSON.stringify({ mcpServers: { trusted: duplicate, github: duplicate } }),
    });
    await using client = await connect(other);
    for (const tool of ['echo', 'sleep']) {
      const { structuredContent } = await client.execute('admin', tool, { text: 'a', ms: 1 });
      expect(structuredContent).toMatchObject({ error: { code: 'TOOL_DISABLED' } });
    }
    const { structuredContent } = await client.execute('trusted', 'mutter', {});
    expect(structuredContent).toMatchObject({ error: { code: 'SERVER_NOT_FOUND' } });
  });
});
