import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { IndexedTool } from './search-types.js';
import { createToolIndex } from './tool-index.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../../shared/data/catalogs');

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

describe.skipIf(!existsSync(folder))('a search over real catalogs (skipped without ../shared/data)', () => {
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
