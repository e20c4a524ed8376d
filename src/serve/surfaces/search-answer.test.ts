import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../schema-check/index.js';
import { createToolIndex, type IndexedTool, summaryOf } from '../../search/index.js';
import { shortResult } from './search-answer.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../../../shared/data/catalogs');

interface Catalog {
  readonly serverInfo: { readonly name: string };
  readonly tools: readonly Omit<IndexedTool, 'server'>[];
}

describe.skipIf(!existsSync(folder))(
  'a search answer (skipped where ../shared/data is not beside the repository)',
  () => {
    it.each([
      { limit: 5, tokens: 320 },
      { limit: 10, tokens: 600 },
    ])('with $limit results has fewer than $tokens tokens in 95 of 100 searches', ({ limit, tokens }) => {
      const tools = readdirSync(folder).flatMap((file) => {
        const { serverInfo, tools: listed }: Catalog = JSON.parse(readFileSync(join(folder, file), 'utf8'));
        return listed.map((tool) => ({ ...tool, server: serverInfo.name }));
      });
      const schemas = new Map(tools.map(({ server, name, inputSchema }) => [`${server} ${name}`, inputSchema]));
      const index = createToolIndex(tools);
      const sizes = tools
        .map(({ name, description }) => index.search(summaryOf(description) || name, { limit }))
        .filter(({ length }) => length === limit)
        .map((found) => {
          const results = found.map((result) => {
            const { server, tool } = result;
            return shortResult({ ...result, signature: signatureOf(tool, schemas.get(`${server} ${tool}`)) });
          });
          return encode(JSON.stringify({ results })).length;
        })
        .sort((a, b) => a - b);
      expect(sizes.length).toBeGreaterThan(400);
      expect(sizes[Math.floor(sizes.length * 0.95)]).toBeLessThan(tokens);
    });
  },
);
