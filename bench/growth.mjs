// How the figures grow with the number of servers, and whether a call depends on it or on earlier searches (guarantee G16):
// 5, 50 and 500 servers, each with a session that searched for several needs before its calls and one that did not.
//   --quick  fewer rounds      --json  figures for programs      --check  exit 1 if a target is missed
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { portolanAt } from './gateway/contenders.mjs';
import { median, pairedRatio } from './gateway/figures.mjs';
import { listen } from './gateway/http-servers.mjs';
import { burst, inTurns, sequence } from './gateway/measure-calls.mjs';
import { bareNode } from './gateway/measure-load.mjs';
import { endAll, gatewayProcesses, memoryBytes } from './gateway/processes.mjs';
import { leanServer, PORTOLAN } from './gateway/servers.mjs';
import { ask, connect, newPlace, runFolder, waitUntilKnown } from './gateway/session.mjs';
import { NEEDS, searchSeveralNeeds } from './gateway/usual-state.mjs';

const { values: options } = parseArgs({
  options: Object.fromEntries(['quick', 'json', 'check'].map((name) => [name, { type: 'boolean', default: false }])),
});
const SIZES = [5, 50, 500];
const MEGABYTE = 1024 * 1024;
const RATIO_LIMIT = 1.5;
const ASK_AGAIN_MS = 20;
const RELOAD_LIMIT_MS = 60_000;
const WARM_UP_BATCHES = options.quick ? 4 : 8;
const BATCHES = options.quick ? 8 : 20;
const STARTS = options.quick ? 2 : 5;
const SEARCHES = options.quick ? 10 : 50;
const BATCH = { tool: 'echo', inSequence: 100, atOnce: 400 };

process.on('exit', () => {
  endAll();
  rmSync(runFolder, { recursive: true, force: true, maxRetries: 5 });
});
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  process.on(signal, () => process.exit(code));
}

const portolan = portolanAt('portolan', PORTOLAN);
const upstream = await listen(Math.max(...SIZES));
const bare = (await bareNode())?.rss;
const found = new Map(SIZES.map((size) => [size, {}]));
const sessions = [];
for (const size of SIZES) {
  const figures = found.get(size);
  const servers = {
    target: leanServer('target'),
    ...Object.fromEntries(Object.entries(upstream.servers).slice(1, size)),
  };
  const place = newPlace(portolan.unlimited);
  const first = await connect(portolan, servers, { place });
  await waitUntilKnown(first, size);
  figures.knownCold = performance.now() - first.begin;
  await first.client.leave();
  const starts = [];
  for (let n = 0; n < STARTS; n += 1) {
    const session = await connect(portolan, servers, { place });
    starts.push(session.firstListMs);
    await session.client.leave();
  }
  figures.firstList = median(starts);
  for (const isSearched of [false, true]) sessions.push(await opened(servers, size, place, isSearched));
}

for (let batch = -WARM_UP_BATCHES; batch < BATCHES; batch += 1) {
  for (const part of [sequence, burst]) {
    for (const session of inTurns(sessions, batch + WARM_UP_BATCHES)) {
      const { times, rates } = await part(session, BATCH);
      if (batch < 0) continue;
      if (times) session.medians.push(median(times));
      if (rates) session.rates.push(...rates);
    }
  }
}

const [plain, searched] = [false, true].map(
  (isSearched) =>
    new Map(sessions.filter((session) => session.isSearched === isSearched).map((one) => [one.size, one])),
);
for (const size of SIZES) {
  const figures = found.get(size);
  const memory = memoryBytes(gatewayProcesses(plain.get(size).client.home));
  if (memory && bare) figures.memory = (memory.rss - bare) / MEGABYTE;
  figures.call = median(plain.get(size).medians);
  figures.callSearched = median(searched.get(size).medians);
  figures.rate = median(plain.get(size).rates);
  figures.rateSearched = median(searched.get(size).rates);
  figures.search = await searchMs(plain.get(size));
  figures.reload = await reloadMs(plain.get(size), size);
}
const ratios = [
  ...SIZES.slice(1).map((size) =>
    ratioOf(`a call with ${size} servers, against ${SIZES[0]}`, plain.get(size), plain.get(SIZES[0])),
  ),
  ...SIZES.map((size) =>
    ratioOf(`a call after searches, ${size} servers, against none`, searched.get(size), plain.get(size)),
  ),
];
const isMissed = ratios.some(({ p50, inFlight }) => p50 > RATIO_LIMIT || inFlight > RATIO_LIMIT);

if (options.json) {
  console.log(JSON.stringify({ node: process.version, growth: Object.fromEntries(found), ratios }, null, 2));
} else {
  const LABELS = {
    firstList: 'first tools/list, cached, ms',
    knownCold: 'all tools known, no cache, ms',
    call: 'a call, p50, ms',
    callSearched: '… after searches of eight needs, ms',
    rate: '16 in flight, calls/s',
    rateSearched: '… after searches of eight needs, calls/s',
    search: 'a search of eight needs, p50, ms',
    reload: 'reload after a changed file, ms',
    memory: 'memory over bare node, MB',
  };
  console.log(`${'servers'.padEnd(46)}${SIZES.map((size) => String(size).padStart(10)).join('')}`);
  for (const [key, label] of Object.entries(LABELS)) {
    const cells = SIZES.map((size) => figure(found.get(size)[key]).padStart(10));
    console.log(`${label.padEnd(46)}${cells.join('')}`);
  }
  console.log(`\n${'cost of a call (G16), target ≤ 1.5'.padEnd(46)}${'p50'.padStart(10)}${'in flight'.padStart(10)}`);
  for (const { label, p50, inFlight } of ratios) {
    console.log(`${label.padEnd(46)}${p50.toFixed(2).padStart(10)}${inFlight.toFixed(2).padStart(10)}`);
  }
}
upstream.close();
process.stdout.write('', () => process.exit(options.check && isMissed ? 1 : 0)); // after all output was written

/** A separate home with the same cache, because all processes of a home are ended together. */
async function opened(servers, size, { env }, isSearched) {
  const place = newPlace(portolan.unlimited);
  cpSync(env.HOME, place.env.HOME, { recursive: true });
  const session = await connect(portolan, servers, { place });
  await waitUntilKnown(session, size);
  if (isSearched) await searchSeveralNeeds(session);
  return Object.assign(session, { size, isSearched, medians: [], rates: [] });
}

async function searchMs(session) {
  const times = [];
  for (let n = 0; n < SEARCHES; n += 1) {
    const begin = performance.now();
    await ask(session, portolan.find(NEEDS.join('\n')));
    times.push(performance.now() - begin);
  }
  return median(times);
}

/** The time from a file with one more server to a list that contains it. */
async function reloadMs(session, size) {
  const file = join(session.client.home, '.cursor', 'mcp.json');
  const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'));
  const begin = performance.now();
  writeFileSync(file, JSON.stringify({ mcpServers: { ...mcpServers, added: leanServer(`added-${size}`) } }));
  while (performance.now() - begin < RELOAD_LIMIT_MS) {
    if ((await ask(session, portolan.known.ask)).includes('"added"')) return performance.now() - begin;
    await pause(ASK_AGAIN_MS);
  }
  return undefined;
}

/** The cost in the same batch: the time of a call, and the time of a call at 16 in flight. */
function ratioOf(label, session, base) {
  return {
    label,
    p50: pairedRatio(session.medians, base.medians),
    inFlight: 1 / pairedRatio(session.rates, base.rates),
  };
}

function figure(value) {
  if (value === undefined) return '–';
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 3);
}
