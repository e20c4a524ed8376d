import { randomBytes } from 'node:crypto';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { instructions } from './instructions.js';
import { metaTools } from './meta-tools.js';

/** The token limit for all six tools; the guarantee is 600. */
const BUDGET = 560;
const BUDGET_OF_INSTRUCTIONS = 220;

const randomLetters = (length: number) =>
  [...randomBytes(length)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
const of = (count: number, name: (place: number) => string) => Array.from({ length: count }, (_, place) => name(place));

describe('metaTools', () => {
  it.each([
    { title: 'no server', aliases: [] },
    { title: 'one server', aliases: ['filesystem'] },
    { title: '30 servers with long names', aliases: of(30, (n) => `a_server_with_a_rather_long_name_number_${n}`) },
    { title: '30 servers of 64 random letters', aliases: of(30, () => randomLetters(64)) },
    { title: '30 servers of 24 random letters', aliases: of(30, () => randomLetters(24)) },
    { title: '300 servers of three random letters', aliases: of(300, () => randomLetters(3)) },
    { title: '300 servers of one letter', aliases: of(300, () => randomLetters(1)) },
    { title: '300 servers of underscores and digits', aliases: of(300, (n) => `_1_2_3_${n}_`) },
    { title: '300 servers of letters and digits', aliases: of(300, (n) => `q7z9x1k4${n}w`) },
    { title: '100 servers of digits', aliases: of(100, (n) => `_${10 ** 15 + n * 7_919}`) },
    { title: '100 servers of symbols', aliases: of(100, (n) => `"\\\n${n}{}`) },
    { title: '100 servers in Burmese', aliases: of(100, (n) => `ဖိုင်စနစ်${n}`) },
  ])('stays within the token limit with $title', ({ aliases }) => {
    expect(countTokens(JSON.stringify(metaTools(aliases, true)))).toBeLessThan(BUDGET);
    expect(countTokens(instructions(aliases, true, 300))).toBeLessThan(BUDGET_OF_INSTRUCTIONS);
  });

  it('names the servers in the order of discovery, and counts the rest', () => {
    const search = (aliases: string[]) => metaTools(aliases, true)[1]?.description;
    expect(search([])).not.toContain('Servers');
    expect(search(['one', 'two'])).toContain(' Servers: one, two.');
    expect(search(of(50, (n) => `server_${n}`))).toMatch(/ Servers: server_0, server_1, .* and \d+ more\.$/);
    expect(search(['a'.repeat(64)])).toContain(` Servers: ${'a'.repeat(23)}….`);
    expect(search(['My "Own" Server', 'fs-2'])).toContain(' Servers: "My \\"Own\\" Server", fs-2.');
  });

  it('has schemas that the parser accepts and that describe every required argument', () => {
    const shapes = metaTools([], true).map(({ name, inputSchema }) => [
      name,
      Object.keys(inputSchema.properties as object),
      inputSchema.required ?? [],
    ]);
    expect(shapes).toEqual([
      ['list_mcp_servers', [], []],
      ['search_tools', ['query', 'server', 'limit'], ['query']],
      ['list_tools', ['server', 'includeDisabled'], ['server']],
      ['get_tool_details', ['server', 'tool'], ['server', 'tool']],
      ['execute_tool', ['server', 'tool', 'arguments', 'calls'], []],
      ['run_python', ['code', 'servers', 'timeout', 'session'], ['code']],
    ]);
  });

  it('omits run_python without an engine', () => {
    expect(metaTools([], false)).toEqual(metaTools([], true).slice(0, 5));
  });
});

describe('instructions', () => {
  it('name the servers, or say that there is none', () => {
    for (const offersPython of [false, true])
      expect(instructions([], offersPython)).toBe('No MCP server is set up yet: ask the user to add one.');
    expect(instructions(['one'], true)).toMatch(/run_python\.$/);
    expect(instructions(['one', 'two'])).toMatch(/^This gateway reaches these MCP servers: one, two\. Find a tool/);
  });

  it.each([
    {
      aliases: [],
      waiting: 1,
      said: "No MCP server is approved yet: 1 waits for the user's approval. Ask the user to run: portolan approve",
    },
    {
      aliases: [],
      waiting: 3,
      said: "No MCP server is approved yet: 3 wait for the user's approval. Ask the user to run: portolan approve",
    },
    {
      aliases: ['one'],
      waiting: 1,
      said: "1 more waits for the user's approval; ask the user to run: portolan approve",
    },
    {
      aliases: ['one'],
      waiting: 2,
      said: "2 more wait for the user's approval; ask the user to run: portolan approve",
    },
  ])('say besides $aliases that $waiting wait for approval, and how to approve them', ({ aliases, waiting, said }) => {
    const text = instructions(aliases, true, waiting);
    expect(text.slice(-said.length)).toBe(said);
    expect(text).not.toContain('set up');
  });
});
