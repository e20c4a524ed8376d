import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** The rooms of `src/`, from the bottom up, and the rooms each may import. Change a line only with a reason. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  rpc: ['base'],
  'config-edit': ['base'],
  'schema-check': ['base'],
  audit: ['base'],
  search: ['base'],
  registry: ['base'],
  sandbox: ['base', 'rpc'],
  bridge: ['base', 'rpc'],
  model: ['base'],
  settings: ['base', 'model'],
  sources: ['base', 'config-edit', 'model'],
  policy: ['base', 'model', 'settings'],
  discovery: ['base', 'model', 'settings', 'sources', 'policy', 'registry'],
  upstream: ['base', 'rpc', 'model', 'policy'],
  catalog: ['base', 'model', 'policy', 'upstream'],
  gateway: [
    ...['base', 'model', 'settings', 'policy', 'upstream', 'catalog'],
    ...['search', 'sandbox', 'schema-check', 'audit'],
  ],
  serve: ['base', 'rpc', 'model', 'gateway'],
  'use-cases': [
    ...['base', 'rpc', 'config-edit', 'model', 'settings', 'sources', 'policy', 'discovery'],
    ...['registry', 'upstream', 'catalog', 'sandbox', 'audit', 'gateway'],
  ],
  app: [
    ...['base', 'rpc', 'model', 'settings', 'policy', 'discovery', 'registry', 'upstream', 'catalog', 'search'],
    ...['sandbox', 'audit', 'gateway', 'serve', 'bridge', 'use-cases'],
  ],
  cli: ['base', 'config-edit', 'model', 'discovery', 'bridge', 'use-cases', 'app'],
};
const MAX_LINES = 300;

const src = resolve(dirname(fileURLToPath(import.meta.url)), '../../src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => join(src, name));

const roomOf = (file: string): string => {
  const [first = '', ...rest] = relative(src, file).split(/[\\/]/);
  return rest.length === 0 ? '' : first;
};

/** Every relative import, also a lazy one and one for types alone: a type is knowledge too. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|^\s*import\s+)['"](\.[^'"]+)['"]/gm);
  return [...found].map((match) => resolve(dirname(file), (match[1] ?? '').replace(/\.js$/, '.ts')));
}

const edges = files.flatMap((from) => importsOf(from).map((to) => ({ from, to })));
const show = ({ from, to }: { from: string; to: string }) => `${relative(src, from)} -> ${relative(src, to)}`;

/** Without what is said about it. */
const code = (file: string): string => readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');

describe('the house', () => {
  it('sees its own files and imports, so that the checks below cannot pass on nothing', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(edges.length).toBeGreaterThan(100);
    expect(edges.filter(({ to }) => !files.includes(to)).map(show)).toEqual([]);
  });

  it('has no other rooms than the table', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => room !== '' && !(room in ROOMS))).toEqual([]);
  });

  it('imports only what the table allows', () => {
    const wrong = edges.filter(({ from, to }) => {
      const [room, other] = [roomOf(from), roomOf(to)];
      return room !== '' && room !== other && !ROOMS[room]?.includes(other);
    });
    expect(wrong.map(show)).toEqual([]);
  });

  it('allows nothing that nobody uses', () => {
    const used = new Set(edges.map(({ from, to }) => `${roomOf(from)} -> ${roomOf(to)}`));
    const allowed = Object.entries(ROOMS).flatMap(([room, others]) => others.map((other) => `${room} -> ${other}`));
    expect(allowed.filter((one) => !used.has(one))).toEqual([]);
  });

  it('lists the rooms from the bottom up', () => {
    const order = Object.keys(ROOMS);
    const upward = Object.entries(ROOMS).flatMap(([room, others]) =>
      others.filter((other) => order.indexOf(other) >= order.indexOf(room)).map((other) => `${room} -> ${other}`),
    );
    expect(upward).toEqual([]);
  });

  it('gives no two files the same name', () => {
    const names = files.map((file) => basename(file)).filter((name) => name !== 'index.ts');
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('enters a room by its front door', () => {
    const past = edges.filter(({ from, to }) => roomOf(from) !== roomOf(to) && roomOf(to) !== '');
    expect(past.filter(({ to }) => relative(src, to) !== join(roomOf(to), 'index.ts')).map(show)).toEqual([]);
  });

  it('has no cycle between files', () => {
    const next = new Map(
      files.map((file) => [file, edges.filter((edge) => edge.from === file).map((edge) => edge.to)]),
    );
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file))
        cycles.push([...path.slice(path.indexOf(file)), file].map((one) => relative(src, one)).join(' -> '));
      if (done.has(file) || path.includes(file)) return;
      for (const to of next.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it(`has no source file over ${MAX_LINES} lines`, () => {
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length - 1 > MAX_LINES);
    expect(long.map((file) => relative(src, file))).toEqual([]);
  });

  it('lets no front door lend everything', () => {
    const open = files.filter((file) => /^export \*/m.test(readFileSync(file, 'utf8')));
    expect(open.map((file) => relative(src, file))).toEqual([]);
  });

  it('keeps `process` out of the rooms that are handed their world', () => {
    const pure = ['model', 'settings', 'sources', 'policy', 'search', 'schema-check', 'config-edit', 'gateway'];
    const reads = files.filter(
      (file) => pure.includes(roomOf(file)) && /\bprocess\b\s*[.[]/.test(readFileSync(file, 'utf8')),
    );
    expect(reads.map((file) => relative(src, file))).toEqual([]);
  });

  it('composes no signal with a time, which a sweep of the heap would take away', () => {
    const composed = files.filter((file) =>
      /AbortSignal\.any\b[\s\S]*AbortSignal\.timeout\(|AbortSignal\.timeout\([\s\S]*AbortSignal\.any\(/.test(
        code(file),
      ),
    );
    expect(composed.map((file) => relative(src, file))).toEqual([]);
  });
});
