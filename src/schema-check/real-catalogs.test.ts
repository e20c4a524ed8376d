import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkAgainst } from './check-value.js';
import { exampleOf } from './examples/schema-example.js';

const folder = resolve(dirname(fileURLToPath(import.meta.url)), '../../../shared/data/catalogs');

interface Tool {
  readonly name: string;
  readonly inputSchema: unknown;
}

function toolsIn(file: string): Tool[] {
  const catalog: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const tools: unknown = typeof catalog === 'object' && catalog !== null && 'tools' in catalog ? catalog.tools : [];
  return Array.isArray(tools)
    ? tools.map((tool) => ({ name: `${file} ${tool.name}`, inputSchema: tool.inputSchema }))
    : [];
}

describe.skipIf(!existsSync(folder))('schemas of real tools (skipped without ../shared/data)', () => {
  const tools = existsSync(folder) ? readdirSync(folder).flatMap(toolsIn) : [];

  it('are loaded, so that the following checks are not empty', () => {
    expect(tools.length).toBeGreaterThan(700);
  });

  it('can all be checked', async () => {
    const values = [{}, { path: 5, query: [], unknown: { a: 1 } }, []];
    const verdicts = await Promise.all(
      tools.flatMap(({ name, inputSchema }) =>
        values.map(async (value) => ({ name, verdict: await checkAgainst(inputSchema, value) })),
      ),
    );
    expect(verdicts.filter(({ verdict }) => verdict.kind === 'unchecked')).toEqual([]);
    expect(new Set(verdicts.map(({ verdict }) => verdict.kind))).toEqual(new Set(['valid', 'invalid']));
  });

  it('have a small example that they accept', async () => {
    const checked = await Promise.all(
      tools.map(async ({ name, inputSchema }) => {
        const example = exampleOf(inputSchema);
        return { name, length: JSON.stringify(example)?.length, verdict: await checkAgainst(inputSchema, example) };
      }),
    );
    expect(checked.filter(({ length, verdict }) => verdict.kind !== 'valid' || !(length && length <= 1_000))).toEqual(
      [],
    );
  });
});
