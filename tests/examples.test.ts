import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connectDirectly, type StdioClient, type Variables } from './client-over-stdio.js';
import { type Machine, makeMachine } from './machine.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** A client of an example as it is shipped: built, and started as a process. */
function example(name: string, machine: Machine, env: Variables = {}): Promise<StdioClient> {
  const launch = { command: process.execPath, args: [join(root, 'dist/examples', `${name}.js`)], env };
  return connectDirectly(launch, machine);
}

/** The kind of answer a model gets: data, or words that say what to do instead. */
async function answer(client: StdioClient, tool: string, given: Record<string, unknown> = {}) {
  const { structuredContent, isError, content } = await client.call(tool, given);
  return isError ? { refused: content[0]?.text } : structuredContent;
}

describe('the example servers', () => {
  it('are each built, and each told about in the README', () => {
    const written = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'));
    const readme = readFileSync(join(root, 'examples/README.md'), 'utf8');
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
  ])('$name lists its tools, each with a sentence and the shape of its answer', async ({ name, tools }) => {
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
      title: 'tells the weather of a city however it is written',
      name: 'weather',
      tool: 'get_forecast',
      given: { city: ' genoa ' },
      gives: { city: 'Genoa', sky: 'storm', highC: 17, rainMm: 42 },
    },
    {
      title: 'says which cities it knows when asked for another',
      name: 'weather',
      tool: 'get_forecast',
      given: { city: 'Atlantis' },
      gives: { refused: 'No forecast for Atlantis. Known: Genoa, Lisbon, Oslo, Palma, Rotterdam.' },
    },
    {
      title: 'lists only the orders of one status',
      name: 'orders',
      tool: 'list_orders',
      given: { status: 'shipped' },
      gives: { orders: [{ id: 'A-1004', customer: 'Kari', city: 'Oslo', totalCents: 2_300, status: 'shipped' }] },
    },
    {
      title: 'cancels an order that is open',
      name: 'orders',
      tool: 'cancel_order',
      given: { id: 'A-1002' },
      gives: { id: 'A-1002', customer: 'Marco', city: 'Genoa', totalCents: 12_900, status: 'cancelled' },
    },
    {
      title: 'refuses to cancel what is on its way',
      name: 'orders',
      tool: 'cancel_order',
      given: { id: 'A-1004' },
      gives: { refused: 'A-1004 has been shipped and cannot be cancelled.' },
    },
    {
      title: 'says that there is no such order',
      name: 'orders',
      tool: 'get_order',
      given: { id: 'A-1' },
      gives: { refused: 'There is no order A-1.' },
    },
  ])('$name $title', async ({ name, tool, given, gives }) => {
    using machine = makeMachine();
    await using client = await example(name, machine);
    expect(await answer(client, tool, given)).toEqual(gives);
  });

  it('notes keeps what was written at once by many, and finds it after a restart', async () => {
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

  it('notes does not start over a file it cannot read, and leaves it as it is', async () => {
    using machine = makeMachine();
    const NOTES_FILE = machine.path('~/kept/notes.json');
    mkdirSync(dirname(NOTES_FILE), { recursive: true });
    writeFileSync(NOTES_FILE, '[{"id":1,');
    await expect(example('notes', machine, { NOTES_FILE })).rejects.toThrow('it ended with 1');
    expect(readFileSync(NOTES_FILE, 'utf8')).toBe('[{"id":1,');
  });
});
