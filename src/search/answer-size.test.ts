import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import type { IndexedTool } from './search-types.js';
import { createToolIndex } from './tool-index.js';
import { summaryOf } from './tool-summary.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../../shared/data/catalogs');
const MAX_TOKENS = 350;

interface Catalog {
  readonly serverInfo: { readonly name: string };
  readonly tools: readonly Omit<IndexedTool, 'server'>[];
}

function realTools(): readonly IndexedTool[] {
  return readdirSync(folder).flatMap((file) => {
    const { serverInfo, tools }: Catalog = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    return tools.map((tool) => ({ ...tool, server: serverInfo.name }));
  });
}

describe.skipIf(!existsSync(folder))('an answer (skipped without ../shared/data)', () => {
  it(`with ten results stays under ${MAX_TOKENS} tokens at the median over the real catalogs`, () => {
    const tools = realTools();
    const index = createToolIndex(tools);
    const sizes = tools
      .map(({ name, description }) => index.search(summaryOf(description) || name))
      .filter(({ length }) => length === 10)
      .map((found) => {
        const results = found.map(({ server, tool, summary, relevance, tags }) => ({
          server,
          tool,
          summary,
          relevance,
          ...(tags.length > 0 && { tags }),
        }));
        return encode(JSON.stringify({ results })).length;
      })
      .sort((a, b) => a - b);
    expect(sizes.length).toBeGreaterThan(500);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThan(MAX_TOKENS);
  });

  it('ranks every real tool first for its server and name', () => {
    const tools = realTools();
    const index = createToolIndex(tools);
    const missed = tools.filter(({ server, name }) => {
      const first = index.search(`${server}.${name}`, { limit: 1 })[0];
      return first?.server !== server || first.tool !== name;
    });
    expect(missed.map(({ server, name }) => `${server}.${name}`)).toEqual([]);
  });
});
