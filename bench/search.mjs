// How well and at what cost tools are found, beside three other engines: `npm run bench:search`. See bench/search/README.md.
// The module is bundled as it ships, with the parts of it that the other engines share.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import MiniSearch from 'minisearch';
import sqlite from 'node-sqlite3-wasm';
import { measureCost } from './search/search-cost.mjs';
import { isAvailable, root } from './search/search-data.mjs';
import { measureLearning } from './search/search-learning.mjs';
import { measureModel } from './search/search-model.mjs';
import { ablate, compareEngines, exactNames, typos, uncoveredNeeds } from './search/search-quality.mjs';

const PARTS = `
export * from './src/search/index.js';
export { ModelProcess } from './src/app/model-process.js';
export { VectorFile } from './src/app/vector-file.js';
export { installedModel } from './src/use-cases/installed-model.js';
export { WEIGHTS } from './src/search/ranking-weights.js';
export { stem } from './src/search/stem.js';
export { STOP_WORDS } from './src/search/stop-words.js';
export { eachWord } from './src/search/tokenize.js';
export { eachFieldWord } from './src/search/tool-words.js';
`;

async function bundle(folder) {
  const outfile = join(folder, 'search.mjs');
  await build({
    ...{ stdin: { contents: PARTS, resolveDir: root, loader: 'ts' }, outfile, absWorkingDir: root },
    ...{ bundle: true, minify: true, format: 'esm', platform: 'node', target: 'node20.19', logLevel: 'warning' },
  });
  return pathToFileURL(outfile).href;
}

async function main() {
  if (!isAvailable) {
    console.log('../shared/data does not exist beside this repository, so nothing can be measured.');
    return;
  }
  const targets = [];
  const target = (title, value, limit, isMet) => targets.push({ title, value, limit, isMet });
  const folder = mkdtempSync(join(tmpdir(), 'portolan-bench-'));
  try {
    const module = await bundle(folder);
    const search = { ...(await import(module)), MiniSearch, Database: sqlite.Database };
    compareEngines(search, target);
    ablate(search, target);
    uncoveredNeeds(search);
    typos(search, target);
    exactNames(search, target);
    measureLearning(search, target);
    await measureModel(search, target);
    measureCost(module, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log('\ntargets');
  for (const { title, value, limit, isMet } of targets)
    console.log(
      `${title.padEnd(62)} ${value.toFixed(value >= 100 ? 0 : 3).padStart(8)}  (${limit}) ${isMet ? 'met' : 'MISSED'}`,
    );
  process.exitCode = targets.every(({ isMet }) => isMet) ? 0 : 1;
}

await main();
