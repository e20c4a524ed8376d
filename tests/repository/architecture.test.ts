import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** The modules of `src/` from the bottom up, and the modules that each may import. Change a line only with a reason. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  base: [],
  rpc: ['base'],
  'config-edit': ['base'],
  'schema-check': ['base'],
  audit: ['base'],
  search: ['base'],
  registry: ['base'],
  secrets: ['base'],
  sandbox: ['base', 'rpc'],
  bridge: ['base', 'rpc'],
  model: ['base'],
  settings: ['base', 'model'],
  sources: ['base', 'config-edit', 'model'],
  policy: ['base', 'model', 'settings'],
  discovery: ['base', 'model', 'settings', 'sources', 'policy', 'registry', 'secrets'],
  upstream: ['base', 'rpc', 'model', 'policy'],
  catalog: ['base', 'model', 'policy', 'upstream'],
  gateway: [
    ...['base', 'model', 'settings', 'policy', 'upstream', 'catalog'],
    ...['search', 'sandbox', 'schema-check', 'audit'],
  ],
  serve: ['base', 'rpc', 'model', 'gateway'],
  'use-cases': [
    ...['base', 'rpc', 'config-edit', 'model', 'settings', 'sources', 'policy', 'discovery'],
    ...['registry', 'secrets', 'upstream', 'catalog', 'sandbox', 'audit', 'gateway'],
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

const moduleOf = (file: string): string => {
  const [first = '', ...rest] = relative(src, file).split(/[\\/]/);
  return rest.length === 0 ? '' : first;
};

/** Every relative import, also lazy and type-only ones. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|^\s*import\s+)['"](\.[^'"]+)['"]/gm);
  return [...found].map((match) => resolve(dirname(file), (match[1] ?? '').replace(/\.js$/, '.ts')));
}

const edges = files.flatMap((from) => importsOf(from).map((to) => ({ from, to })));
const show = ({ from, to }: { from: string; to: string }) => `${relative(src, from)} -> ${relative(src, to)}`;

/** The source without comments. */
const code = (file: string): string => readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');

describe('the modules of src/', () => {
  it('are found with their imports, so that the checks below cannot pass without data', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(edges.length).toBeGreaterThan(100);
    expect(edges.filter(({ to }) => !files.includes(to)).map(show)).toEqual([]);
  });

  it('are all in the table', () => {
    expect([...new Set(files.map(moduleOf))].filter((module) => module !== '' && !(module in MODULES))).toEqual([]);
  });

  it('import only what the table allows', () => {
    const wrong = edges.filter(({ from, to }) => {
      const [module, other] = [moduleOf(from), moduleOf(to)];
      return module !== '' && module !== other && !MODULES[module]?.includes(other);
    });
    expect(wrong.map(show)).toEqual([]);
  });

  it('use each import that the table allows', () => {
    const used = new Set(edges.map(({ from, to }) => `${moduleOf(from)} -> ${moduleOf(to)}`));
    const allowed = Object.entries(MODULES).flatMap(([module, others]) =>
      others.map((other) => `${module} -> ${other}`),
    );
    expect(allowed.filter((one) => !used.has(one))).toEqual([]);
  });

  it('are listed from the bottom up', () => {
    const order = Object.keys(MODULES);
    const upward = Object.entries(MODULES).flatMap(([module, others]) =>
      others.filter((other) => order.indexOf(other) >= order.indexOf(module)).map((other) => `${module} -> ${other}`),
    );
    expect(upward).toEqual([]);
  });

  it('have unique file names', () => {
    const names = files.map((file) => basename(file)).filter((name) => name !== 'index.ts');
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('import other modules only through index.ts', () => {
    const crossing = edges.filter(({ from, to }) => moduleOf(from) !== moduleOf(to) && moduleOf(to) !== '');
    expect(crossing.filter(({ to }) => relative(src, to) !== join(moduleOf(to), 'index.ts')).map(show)).toEqual([]);
  });

  it('have no import cycle', () => {
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

  it(`have no source file over ${MAX_LINES} lines`, () => {
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length - 1 > MAX_LINES);
    expect(long.map((file) => relative(src, file))).toEqual([]);
  });

  it('have no export *', () => {
    const wildcards = files.filter((file) => /^export \*/m.test(readFileSync(file, 'utf8')));
    expect(wildcards.map((file) => relative(src, file))).toEqual([]);
  });

  it('do not use `process` if their environment is a parameter', () => {
    const pure = ['model', 'settings', 'sources', 'policy', 'search', 'schema-check', 'config-edit', 'gateway'];
    const reads = files.filter(
      (file) => pure.includes(moduleOf(file)) && /\bprocess\b\s*[.[]/.test(readFileSync(file, 'utf8')),
    );
    expect(reads.map((file) => relative(src, file))).toEqual([]);
  });

  it('do not combine AbortSignal.any with AbortSignal.timeout, which garbage collection can drop', () => {
    const composed = files.filter((file) =>
      /AbortSignal\.any\b[\s\S]*AbortSignal\.timeout\(|AbortSignal\.timeout\([\s\S]*AbortSignal\.any\(/.test(
        code(file),
      ),
    );
    expect(composed.map((file) => relative(src, file))).toEqual([]);
  });
});
