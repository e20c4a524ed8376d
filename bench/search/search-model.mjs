// The optional model: what a search costs with it, and what it gains where `portolan search --install-model` installed it.
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyOf, publicSets } from './search-data.mjs';
import { score } from './search-quality.mjs';

const TOOLS = 10_000;
const DIMENSIONS = 512;
const LIMIT_MS = 15;
const QUERIES = 250;
const TRIES = 3;
const WAIT_MS = 60_000;
const state = join(homedir(), '.local/state/portolan');
const points = (value) => (100 * value).toFixed(1).padStart(6);

export async function measureModel(search, target) {
  await measureModelCost(search, target);
  const folder = search.installedModel(state);
  if (folder === undefined) {
    console.log('\nThe gain of the model is not measured; to install it: portolan search --install-model');
    return;
  }
  console.log('\nThe model: recall@5, hit@1 without it and with it');
  const model = new search.ModelProcess(folder, () => undefined);
  const vectors = new search.VectorFile(join(tmpdir(), 'portolan-bench-vectors.bin'), () => undefined);
  for (const { name, tools, queries } of publicSets()) {
    const index = search.createToolIndex(tools, { embedder: model, vectors });
    await index.embedded();
    const found = new Map();
    for (const { q } of queries) {
      await index.prepare(q, WAIT_MS, true);
      found.set(q, keysOf(index, q));
    }
    const plain = search.createToolIndex(tools);
    const rows = [score((q) => keysOf(plain, q), queries), score((q) => found.get(q), queries)];
    const cells = rows.flatMap(({ recall5, first }) => [recall5, first]);
    console.log(`${name.padEnd(14)}${cells.map(points).join(' ')}`);
  }
  model[Symbol.dispose]();
  await vectors[Symbol.asyncDispose]();
}

const keysOf = (index, query) => index.search(query).map(({ server, tool }) => keyOf(server, tool));

/** With vectors of the real size and random content, and without the time for the vector of the query. */
async function measureModelCost({ createToolIndex }, target) {
  const sets = publicSets();
  const pool = sets.flatMap(({ tools }) => tools);
  const tools = Array.from({ length: TOOLS }, (_, n) => {
    const { server, ...tool } = pool[n % pool.length];
    return { ...tool, server: `${server}${Math.floor(n / pool.length) || ''}` };
  });
  const random = () => Float32Array.from({ length: DIMENSIONS }, () => Math.random() - 0.5);
  const index = createToolIndex(tools, { embedder: { embed: async (texts) => texts.map(random) } });
  await index.embedded();
  const queries = sets.flatMap((set) => set.queries.filter((_, n) => n % 12 === 0)).slice(0, QUERIES);
  const times = [];
  for (const { q } of queries) {
    await index.prepare(q, WAIT_MS);
    const tries = Array.from({ length: TRIES }, () => {
      const begin = process.cpuUsage();
      index.search(q);
      const { user, system } = process.cpuUsage(begin);
      return (user + system) / 1000;
    });
    times.push(Math.min(...tries));
  }
  const p50 = times.sort((a, b) => a - b)[times.length >> 1];
  target(`${TOOLS} tools with a model: p50`, p50, String(LIMIT_MS), p50 <= LIMIT_MS);
}
