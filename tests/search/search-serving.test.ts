import { describe, expect, it } from 'vitest';
import { configure, connect, fixture, installed, portolan, start } from '../support/client-over-stdio.js';
import { makeMachine } from '../support/machine.js';

const SERVERS = {
  files: installed('@modelcontextprotocol/server-filesystem', ['.']),
  everything: installed('@modelcontextprotocol/server-everything'),
  memory: installed('@modelcontextprotocol/server-memory'),
};
const SETTINGS = { timeouts: { searchMs: 20_000 } };
const LONG =
  'read the text file with my notes, then remember what it says about Anna and finally add the two numbers in it';
/** Sent with each request by a client of the revision without a handshake. */
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'modern', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('search_tools over real servers', () => {
  it('advises a client once to write one need per line, and finds the best tool of each line', async () => {
    using machine = makeMachine();
    configure(machine, SERVERS, SETTINGS);
    await using client = start(machine);
    await client.initialize();
    const ask = async (query: string) => await client.ask('search_tools', { query });
    const first = await ask(LONG);
    expect(first.note).toContain('write one short need per line');
    expect((await ask(LONG)).note).toBeUndefined();
    const lines = await ask('read a text file\nadd two numbers\ncreate entities in the knowledge graph\nmove a file');
    const found = (lines.results as { tool: string }[]).map(({ tool }) => tool);
    expect(found).toHaveLength(10);
    expect(found).toEqual(expect.arrayContaining(['read_text_file', 'get-sum', 'create_entities', 'move_file']));
    expect(lines.note).toBeUndefined();
  });

  it('answers a need that no tool covers with an empty list and a hint, and advises a client without a handshake once', async () => {
    using machine = makeMachine();
    configure(machine, SERVERS, SETTINGS);
    await using client = start(machine);
    const ask = async (query: string) => {
      const { content } = await client.call('search_tools', { query }, MODERN);
      return JSON.parse(String(content[0]?.text));
    };
    expect(await ask('book a flight to Lisbon for the summer holidays')).toEqual({
      results: [],
      note: expect.stringMatching(/^no tool covers this need/),
    });
    expect((await ask(LONG)).note).toContain('write one short need per line');
    expect((await ask(LONG)).note).toBeUndefined();
    const { stdout } = await portolan(machine, ['search', LONG]);
    expect(stdout).toContain('the query names several needs');
  });

  it('learns from the calls of a client, explains that, and forgets it on request', async () => {
    using machine = makeMachine();
    configure(machine, { fixture: fixture() });
    const need = 'echo a text\nreturn a JSON-RPC error\nreturn a result with isError';
    const search = async () => {
      const { stdout } = await portolan(machine, ['search', need, '--explain', '--json']);
      const { results }: { results: { tool: string; parts: { use: number } }[] } = JSON.parse(stdout);
      return new Map(results.map(({ tool, parts }) => [tool, parts.use]));
    };
    {
      await using client = await connect(machine);
      await client.ask('search_tools', { query: need });
      await client.execute('fixture', 'complain');
      await client.execute('fixture', 'refuse').catch(() => undefined);
      await client.execute('fixture', 'echo', { text: 'x' });
    }
    const learned = await search();
    expect(
      [learned.get('echo'), learned.get('complain'), learned.get('refuse')].map((use = 0) => Math.sign(use)),
    ).toEqual([1, -1, -1]);
    const { stdout: explained } = await portolan(machine, ['search', need, '--explain']);
    expect(explained).toMatch(/words \d+ % · semantics 0 % · use [1-9]\d* % · server \d+ %/);
    expect(explained).toMatch(/use -\d+ %/);
    const forget = await portolan(machine, ['search', '--forget']);
    expect(forget.stdout).toMatch(/^Forgot 3 remembered calls of .*project\.\n$/);
    expect([...(await search()).values()].every((use) => use === 0)).toBe(true);
  });
});
