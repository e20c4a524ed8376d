import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The TypeScript files of src/ and tests/, as absolute paths with their text. */
export function readSources() {
  return ['src', 'tests'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(root, folder, name))
      .map((path) => ({ path, text: readFileSync(path, 'utf8') })),
  );
}

/** The test files among these files and among all that import one of them, directly or through a helper. */
export function testsThatImport(paths, sources = readSources()) {
  const imported = ({ path, text }) =>
    [...text.matchAll(/\bfrom\s+'(\.[^']+)\.js'/g)].map(([, name]) => resolve(dirname(path), `${name}.ts`));
  const edges = sources.map((source) => ({ path: source.path, imports: imported(source) }));
  const found = new Set(paths);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const { path, imports } of edges) if (imports.some((one) => found.has(one))) found.add(path);
  }
  return [...found].filter((path) => path.endsWith('.test.ts')).map((path) => relative(root, path));
}
