import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { publishedProgram } from '../../src/use-cases/own-command.js';
import {
  connectDirectly,
  environment,
  PROGRAM,
  type StdioClient,
  type Variables,
} from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** A client of a built example, which runs as a process. */
function example(name: string, machine: Machine, env: Variables = {}): Promise<StdioClient> {
  const launch = { command: process.execPath, args: [join(root, 'dist/examples', `${name}.js`)], env };
  return connectDirectly(launch, machine);
}

/** The result of a tool as a model sees it: data or an error text. */
async function answer(client: StdioClient, tool: string, given: Record<string, unknown> = {}) {
  const { structuredContent, isError, content } = await client.call(tool, given);
  return isError ? { refused: content[0]?.text } : structuredContent;
}

const readme = readFileSync(join(root, 'examples/README.md'), 'utf8');

/** Runs an example in the root of the repository, as its README describes. */
function run(path: string, machine: Machine) {
  const options = { cwd: root, env: environment(machine), encoding: 'utf8' as const };
  const { status, stdout, stderr } = spawnSync(process.execPath, [path], options);
  return { status, stderr, lines: stdout.trimEnd().split('\n') };
}

describe('the example programs', () => {
  it('are all described in examples/README.md', () => {
    const files = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.includes('/'));
    expect(files.toSorted()).toEqual([
      'agent-loop/agent-loop.mjs',
      'client-configuration/mcp.json',
      'library/late-deliveries.mjs',
    ]);
    expect(files.filter((name) => !readme.includes(`(${name})`))).toEqual([]);
  });

  it('client-configuration has the entry of the published package, and a client lists the six tools', async () => {
    using machine = makeMachine();
    const text = readFileSync(join(root, 'examples/client-configuration/mcp.json'), 'utf8');
    const { portolan: entry } = JSON.parse(text).mcpServers;
    expect(entry).toEqual(publishedProgram({ platform: 'linux' }));
    // The npm registry has an older version of the package.
    await using client = await connectDirectly({ command: process.execPath, args: [PROGRAM], env: {} }, machine);
    const { tools } = await client.request('tools/list');
    expect(tools).toHaveLength(6);
  });

  it('library/late-deliveries.mjs prints the open orders in cities with much rain', () => {
    using machine = makeMachine();
    expect(run('examples/library/late-deliveries.mjs', machine)).toEqual({
      status: 0,
      stderr: '',
      lines: ['A-1002: 42 mm of rain in Genoa', 'A-1003: 18 mm of rain in Rotterdam'],
    });
  });

  it('agent-loop/agent-loop.mjs searches, reads the details, calls the tool and answers', () => {
    using machine = makeMachine();
    expect(run('examples/agent-loop/agent-loop.mjs', machine)).toEqual({
      status: 0,
      stderr: '',
      lines: [
        'tools: list_mcp_servers, search_tools, list_tools, get_tool_details, execute_tool, run_python',
        'task: Will it rain in Genoa tomorrow?',
        'call: search_tools {"query":"weather forecast for a city"}',
        'call: get_tool_details {"server":"weather","tool":"get_forecast"}',
        'call: execute_tool {"server":"weather","tool":"get_forecast","arguments":{"city":"Genoa"}}',
        'answer: Yes, 42 mm are expected.',
      ],
    });
  });
});

describe('the example servers', () => {
  it('are all built and described in examples/README.md', () => {
    const written = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'));
    expect(written).toEqual(['notes.ts', 'orders.ts', 'weather.ts']);
    const missing = written.filter(
      (name) => !existsSync(join(root, 'dist/examples', name.replace('.ts', '.js'))) || !readme.includes(`(${name})`),
    );
    expect(missing).toEqual([]);
  });

  it.each([
    { name: 'weather', tools: ['get_forecast', 'list_cities'] },
    { name: 'orders', tools: ['list_orders', 'get_order', 'cancel_order'] },
    { name: 'notes', tools: ['add_note', 'search_notes'] },
  ])('$name lists its tools, each with a description and schemas', async ({ name, tools }) => {
    using machine = makeMachine();
    await using client = await example(name, machine);
    expect(await client.initialize()).toMatchObject({ instructions: expect.stringMatching(/\.$/) });
    const { tools: listed } = await client.request('tools/list');
    expect(listed).toMatchObject(
      tools.map((tool) => ({
        name: tool,
        description: expect.stringMatching(/\.$/),
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
      })),
    );
  });

  it.each([
    {
      title: 'accepts a city name in any case and with spaces',
      name: 'weather',
      tool: 'get_forecast',
      given: { city: ' genoa ' },
      result: { city: 'Genoa', sky: 'storm', highC: 17, rainMm: 42 },
    },
    {
      title: 'lists the known cities for an unknown one',
      name: 'weather',
      tool: 'get_forecast',
      given: { city: 'Atlantis' },
      result: { refused: 'No forecast for Atlantis. Known: Genoa, Lisbon, Oslo, Palma, Rotterdam.' },
    },
    {
      title: 'lists only the orders of one status',
      name: 'orders',
      tool: 'list_orders',
      given: { status: 'shipped' },
      result: { orders: [{ id: 'A-1004', customer: 'Kari', city: 'Oslo', totalCents: 2_300, status: 'shipped' }] },
    },
    {
      title: 'cancels an open order',
      name: 'orders',
      tool: 'cancel_order',
      given: { id: 'A-1002' },
      result: { id: 'A-1002', customer: 'Marco', city: 'Genoa', totalCents: 12_900, status: 'cancelled' },
    },
    {
      title: 'does not cancel a shipped order',
      name: 'orders',
      tool: 'cancel_order',
      given: { id: 'A-1004' },
      result: { refused: 'A-1004 has been shipped and cannot be cancelled.' },
    },
    {
      title: 'returns an error for an unknown order',
      name: 'orders',
      tool: 'get_order',
      given: { id: 'A-1' },
      result: { refused: 'There is no order A-1.' },
    },
  ])('$name $title', async ({ name, tool, given, result }) => {
    using machine = makeMachine();
    await using client = await example(name, machine);
    expect(await answer(client, tool, given)).toEqual(result);
  });

  it('notes stores concurrent notes, and finds them after a restart', async () => {
    using machine = makeMachine();
    const env = { NOTES_FILE: machine.path('~/kept/notes.json') };
    {
      await using client = await example('notes', machine, env);
      const titles = Array.from({ length: 20 }, (_, n) => `Note ${n + 1}`);
      await Promise.all(titles.map((title) => client.call('add_note', { title, text: `about ${title}` })));
    }
    await using again = await example('notes', machine, env);
    expect(await answer(again, 'search_notes', { words: 'ABOUT 17' })).toEqual({
      notes: [{ id: 17, title: 'Note 17', text: 'about Note 17' }],
    });
    expect(JSON.parse(readFileSync(env.NOTES_FILE, 'utf8'))).toHaveLength(20);
  });

  it('notes does not start with an invalid file, and does not change it', async () => {
    using machine = makeMachine();
    const NOTES_FILE = machine.path('~/kept/notes.json');
    mkdirSync(dirname(NOTES_FILE), { recursive: true });
    writeFileSync(NOTES_FILE, '[{"id":1,');
    await expect(example('notes', machine, { NOTES_FILE })).rejects.toThrow('the server exited with 1');
    expect(readFileSync(NOTES_FILE, 'utf8')).toBe('[{"id":1,');
  });
});
