import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isListedTool, readTools } from './read-tools.js';

const HASH = /^[0-9a-f]{64}$/;

describe('readTools', () => {
  it('keeps a tool as its server describes it', () => {
    const tool = {
      name: 'a.b/c-1',
      title: 'A',
      description: 'does\n\twhat it does',
      inputSchema: { type: 'object', properties: { x: { type: 'string', description: 'ä' } } },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
      _meta: { any: 1 },
      icons: [{ src: 'x' }],
    };
    expect(readTools([tool])).toEqual({
      tools: [{ tool, hash: expect.stringMatching(HASH), faults: [] }],
      refused: [],
    });
  });

  it('adds a schema that accepts anything if there is none', () => {
    expect(readTools([{ name: 'a' }, { name: 'b', inputSchema: 'no', annotations: 7, description: 9 }]).tools).toEqual([
      { tool: { name: 'a', inputSchema: { type: 'object' } }, hash: expect.any(String), faults: [] },
      { tool: { name: 'b', inputSchema: { type: 'object' } }, hash: expect.any(String), faults: [] },
    ]);
  });

  it.each([
    { title: 'no object', tool: 7, refused: 'tool 1 is not an object' },
    { title: 'no name', tool: {}, refused: 'tool 1 has no name of 1 to 256 characters' },
    { title: 'an empty name', tool: { name: '' }, refused: 'tool 1 has no name of 1 to 256 characters' },
    {
      title: 'a name that is too long',
      tool: { name: 'x'.repeat(257) },
      refused: 'tool 1 has no name of 1 to 256 characters',
    },
    {
      title: 'a name with invisible characters',
      tool: { name: 'a\u200bb' },
      refused: 'tool 1 has a name with invisible characters',
    },
    {
      title: 'a description that is too large',
      tool: { name: 'a', description: 'x'.repeat(600_000) },
      refused: 'tool 1 (a) is too large',
    },
    {
      title: 'another field that is too large',
      tool: { name: 'a', more: 'x'.repeat(600_000) },
      refused: 'tool 1 (a) is too large',
    },
  ])('rejects only the tool with $title', ({ tool, refused }) => {
    const read = readTools([tool, { name: 'good' }]);
    expect({ names: read.tools.map((one) => one.tool.name), refused: read.refused }).toEqual({
      names: ['good'],
      refused: [refused],
    });
  });

  it('keeps the first of two tools with the same name', () => {
    const { tools, refused } = readTools([
      { name: 'a', description: 'first' },
      { name: 'a', description: 'second' },
    ]);
    expect(tools.map(({ tool }) => tool.description)).toEqual(['first']);
    expect(refused).toEqual(['tool 2 has the name of another, a']);
  });

  it('limits the number of messages', () => {
    expect(readTools(Array.from({ length: 1_000 }, () => 7)).refused).toHaveLength(20);
  });

  it('removes and reports invisible characters in every text', () => {
    const hidden = '\u{e0041}\u200b';
    const { tools } = readTools([
      { name: 'a', description: `x${hidden}`, inputSchema: { properties: { p: { description: `y${hidden}` } } } },
    ]);
    expect(tools[0]?.tool).toEqual({
      name: 'a',
      description: 'x',
      inputSchema: { properties: { p: { description: 'y' } } },
    });
    expect(new Set(tools[0]?.faults)).toEqual(new Set(['tag', 'zero-width']));
  });

  it('has one hash per definition, in any order of keys, and another after a hidden change', () => {
    const hashes = [
      { name: 'a', description: 'd', inputSchema: { type: 'object', properties: { x: {}, y: {} } } },
      { inputSchema: { properties: { y: {}, x: {} }, type: 'object' }, description: 'd', name: 'a' },
      { name: 'a', description: 'd\u200b', inputSchema: { type: 'object', properties: { x: {}, y: {} } } },
    ].map((tool) => readTools([tool]).tools[0]?.hash);
    expect([hashes[0] === hashes[1], hashes[0] === hashes[2]]).toEqual([true, false]);
  });

  it('never throws, changes no prototype, and creates only valid entries', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { name: fc.string(), description: fc.anything(), inputSchema: fc.jsonValue() },
        { requiredKeys: ['name'] },
      ),
      fc.constant(JSON.parse('{"name":"p","__proto__":{"polluted":1},"inputSchema":{"__proto__":{"polluted":1}}}')),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), (listed) => {
        const plain: unknown[] = JSON.parse(JSON.stringify(listed));
        const { tools } = readTools(plain);
        expect(tools.filter((tool) => !isListedTool(JSON.parse(JSON.stringify(tool))))).toEqual([]);
        expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});
