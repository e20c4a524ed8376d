import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const catalogs = join(root, '../shared/data/catalogs');
const MIN_NEEDS = 400;
const MIN_PER_STYLE = 40;
const MAX_SHARE_PER_SERVER = 0.08;

const Style = z.enum(['paraphrase', 'question', 'fragment', 'two-needs', 'wrong-term', 'spelling', 'no-tool']);
const Needs = z.strictObject({
  needs: z.array(
    z.strictObject({
      id: z.string().regex(/^n\d{3}$/),
      style: Style,
      query: z.string().regex(/^\S(.*\S)?$/),
      tools: z.array(z.string().regex(/^[^/\s]+\/\S+$/)),
    }),
  ),
});
const Catalog = z.object({ tools: z.array(z.object({ name: z.string() })) });

const readJson = (...path: readonly string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));
const { needs } = Needs.parse(readJson(root, 'bench/search/needs.json'));

const serverOf = (tool: string): string => tool.slice(0, tool.indexOf('/'));
const repeated = (values: readonly string[]): string[] => values.filter((value, n) => values.indexOf(value) !== n);
const idsOf = (found: typeof needs): string[] => found.map(({ id }) => id);

describe('the needs for tool search', () => {
  it('are at least 400, with unique ids and queries', () => {
    expect(needs.length).toBeGreaterThanOrEqual(MIN_NEEDS);
    expect(repeated(idsOf(needs))).toEqual([]);
    expect(repeated(needs.map(({ query }) => query.toLowerCase()))).toEqual([]);
  });

  it('name each tool once, and none only in the style no-tool', () => {
    expect(idsOf(needs.filter(({ tools }) => repeated(tools).length > 0))).toEqual([]);
    expect(idsOf(needs.filter(({ style, tools }) => (style === 'no-tool') !== (tools.length === 0)))).toEqual([]);
  });

  it('have every style, fragments of two to four words and at least two tools for two needs', () => {
    const perStyle = Style.options.map((style) => needs.filter((need) => need.style === style).length);
    expect(Math.min(...perStyle)).toBeGreaterThanOrEqual(MIN_PER_STYLE);
    const words = (query: string): number => query.split(/\s+/).length;
    const fragments = needs.filter(({ style }) => style === 'fragment');
    expect(idsOf(fragments.filter(({ query }) => words(query) < 2 || words(query) > 4))).toEqual([]);
    expect(idsOf(needs.filter(({ style, tools }) => style === 'two-needs' && tools.length < 2))).toEqual([]);
  });

  it('have no tool in one of five', () => {
    const share = needs.filter(({ tools }) => tools.length === 0).length / needs.length;
    expect(share).toBeGreaterThanOrEqual(0.2);
    expect(share).toBeLessThan(0.25);
  });

  it('give no server labels in more than 8 % of the needs', () => {
    const servers = needs.flatMap(({ tools }) => [...new Set(tools.map(serverOf))]);
    const most = Math.max(...[...new Set(servers)].map((server) => servers.filter((one) => one === server).length));
    expect(most / needs.length).toBeLessThanOrEqual(MAX_SHARE_PER_SERVER);
  });
});

describe.skipIf(!existsSync(catalogs))('the labels of the needs (skipped without ../shared/data/catalogs)', () => {
  const servers = existsSync(catalogs) ? readdirSync(catalogs).map((file) => file.replace(/\.json$/, '')) : [];
  const labels = needs.flatMap(({ tools }) => tools);

  it('are all tools of the catalogs', () => {
    const known = new Set(
      servers.flatMap((server) =>
        Catalog.parse(readJson(catalogs, `${server}.json`)).tools.map(({ name }) => `${server}/${name}`),
      ),
    );
    expect(known.size).toBeGreaterThan(700);
    expect(labels.filter((label) => !known.has(label))).toEqual([]);
  });

  it('cover every server', () => {
    const labelled = new Set(labels.map(serverOf));
    expect(servers.filter((server) => !labelled.has(server))).toEqual([]);
  });
});
