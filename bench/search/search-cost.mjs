// What the search costs: CPU time of a build and of a query, and the memory of an index, each size in an own process.
//   node --expose-gc bench/search/search-cost.mjs <bundle> <number of tools>
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { catalogTools, publicSets } from './search-data.mjs';

const self = fileURLToPath(import.meta.url);
/** Limits in ms of CPU time and MB. */
const LIMITS = {
  10000: { p50: 2, p99: 10, build: 1_000, memory: 10 },
  50000: { p50: 5, p99: 20, build: 4_000, memory: 50 },
};
const WARM_UP = 40;
/** A query counts with the best of these, so that the garbage of the build is left out. */
const TRIES = 3;

export function measureCost(module, target) {
  console.log(`\n${'CPU ms and MB'.padEnd(14)}    build      p50      p99   memory   add one server`);
  for (const [count, limits] of Object.entries(LIMITS)) {
    const child = spawnSync(process.execPath, ['--expose-gc', self, module, count], {
      encoding: 'utf8',
      timeout: 300_000,
    });
    if (child.status !== 0) throw new Error(`measuring ${count} tools failed: ${child.stderr}`);
    const found = JSON.parse(child.stdout);
    const cells = ['build', 'p50', 'p99', 'memory', 'change'].map((name) => found[name].toFixed(2).padStart(8));
    console.log(`${count.padEnd(14)} ${cells.join(' ')}`);
    for (const [name, limit] of Object.entries(limits))
      target(`${count} tools: ${name}`, found[name], String(limit), found[name] <= limit);
  }
}

/** Copies of the real tools under other names, each with a rare word of its own, so that the vocabulary grows as well. */
function manyTools(count) {
  const pool = [...catalogTools(), ...publicSets().flatMap(({ tools }) => tools)];
  return Array.from({ length: count }, (_, n) => {
    const copy = Math.floor(n / pool.length);
    const tool = pool[n % pool.length];
    const rare = `zq${(Math.imul(n, 2654435761) >>> 0) % 60_000}`.replaceAll(/\d/g, (digit) => 'abcdefghij'[digit]);
    const description = `${tool.description ?? ''} ${rare}`;
    if (copy === 0) return { ...tool, description };
    return { ...tool, server: `${tool.server}-${copy}`, name: `${tool.name}_${copy}`, description };
  });
}

const cpuMs = (since) => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};
const usedMb = () => {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
};

async function measure(module, count) {
  const { createToolIndex } = await import(module);
  const tools = manyTools(count);
  const queries = publicSets().flatMap((set) => set.queries.filter((_, n) => n % 6 === 0).map(({ q }) => q));
  createToolIndex(tools.slice(0, 300)).search('warm up');
  await new Promise((resolve) => setImmediate(resolve)); // only then the index of the warm-up is garbage
  const before = usedMb();
  const begin = process.cpuUsage();
  const index = createToolIndex(tools);
  index.search('first');
  const build = cpuMs(begin);
  const memory = usedMb() - before;
  for (const query of queries.slice(0, WARM_UP)) index.search(query);
  const times = queries
    .map((query) => {
      const tries = Array.from({ length: TRIES }, () => {
        const since = process.cpuUsage();
        index.search(query);
        return cpuMs(since);
      });
      return Math.min(...tries);
    })
    .sort((a, b) => a - b);
  const change = process.cpuUsage();
  index.add(tools.slice(0, 20).map((tool) => ({ ...tool, server: 'one more server' })));
  index.search('first');
  const at = (share) => times[Math.floor(times.length * share)];
  console.log(JSON.stringify({ build, p50: at(0.5), p99: at(0.99), memory, change: cpuMs(change) }));
}

const [module, count] = process.argv.slice(2);
if (process.argv[1] === self) await measure(module, Number(count));
