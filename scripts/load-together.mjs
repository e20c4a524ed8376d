// esbuild puts two modules into one chunk only if exactly the same entries reach them, and every `import()` counts as
// an entry. So the modules that each command needs at its start were in 18 chunks, and Node takes half a millisecond to
// load each. This plugin makes every entry reach all of them, so that they are one chunk.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const EARLY = 'portolan:early';

/**
 * A plugin that puts everything that the entry of this name loads at its start into one chunk. `settings` are the
 * settings of the build.
 */
export async function loadTogether(settings, entry) {
  const root = settings.absWorkingDir;
  const { inputs, outputs } = (await build({ ...settings, metafile: true, write: false })).metafile;
  const start = Object.keys(outputs).find((path) => outputs[path].entryPoint === settings.entryPoints[entry]);
  const loaded = [...staticallyFrom(start, outputs)].flatMap((path) => Object.keys(outputs[path].inputs));
  // Importing the entry would run it, so no other module may load it.
  const early = loaded.filter((path) => path !== settings.entryPoints[entry]);
  const others = Object.values(inputs).flatMap(({ imports }) =>
    imports.filter(({ kind }) => kind === 'dynamic-import'),
  );
  const entries = new Set(
    [settings.entryPoints[entry], ...others.map(({ path }) => path)].map((path) => join(root, path)),
  );
  return {
    name: 'load-together',
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) =>
        entries.has(path) ? { contents: `${readFileSync(path, 'utf8')}\nimport '${EARLY}';`, loader: 'ts' } : undefined,
      );
      onResolve({ filter: new RegExp(`^${EARLY}$`) }, () => ({ path: EARLY, namespace: EARLY }));
      onLoad({ filter: /.*/, namespace: EARLY }, () => ({
        contents: early.map((path) => `import ${JSON.stringify(join(root, path))};`).join('\n'),
        resolveDir: root,
      }));
    },
  };
}

function staticallyFrom(path, outputs, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { kind, path: next } of outputs[path].imports)
    if (kind === 'import-statement' && outputs[next]) staticallyFrom(next, outputs, found);
  return found;
}
