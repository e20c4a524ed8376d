// Measures a gateway with 734 tools: its memory after a thousand calls, and the duration of a search.
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from './figures.mjs';
import { end, gatewayProcesses, memoryBytes, start } from './processes.mjs';
import { catalogInOneServer, catalogServers } from './servers.mjs';
import { ask, call, connect, newPlace, waitUntilKnown } from './session.mjs';

const CALLS = 1_000;
const REST_MS = 1_000; // by then a process has returned the memory that it returns by itself
const QUERIES = [
  'create an issue in a repository',
  'take a screenshot of the page',
  'send a message to a channel',
  'query a database',
  'read a file',
  'list pull requests',
  'search the web',
  'calendar event',
  'kubernetes pods',
  'bar chart',
];

/** For each contender: bytes over a bare Node process, and the p99 of a search in ms for those that have one. */
export async function measureLoad(contenders, { rounds, searches }, notes) {
  const memory = new Map();
  const searched = new Map();
  const push = (map, name, value) => map.set(name, [...(map.get(name) ?? []), value]);
  for (let round = 0; round < rounds; round += 1) {
    const bare = await bareNode();
    for (const contender of contenders) {
      if (contender.name === 'direct') continue;
      try {
        for (const run of await runsOf(contender, { searches })) {
          if (bare && run.memory) push(memory, run.name, overBare(run.memory, bare));
          for (const ms of run.searchMs) push(searched, run.name, ms);
        }
      } catch (error) {
        notes.add(`${contender.name}, memory`, error);
      }
    }
  }
  return {
    rss: summarise(memory, (all) => median(all.map(({ rss }) => rss))),
    pss: summarise(memory, (all) => median(all.map(({ pss }) => pss))),
    search: summarise(searched, (all) => quantile(all, 0.99)),
  };
}

/**
 * The memory of a gateway with a cache is measured twice: after it read the tools itself, and after it loaded them from
 * disk.
 */
async function runsOf(contender, options) {
  const place = newPlace();
  const first = await oneRun(contender, place, options);
  if (!contender.remembers) return [first];
  const second = await oneRun(contender, place, options);
  return [second, { ...first, name: `${first.name}, first time` }];
}

async function oneRun(contender, place, { searches }) {
  const servers = contender.before === 'many' ? catalogServers() : { target: catalogInOneServer() };
  const session = await connect(contender, servers, { place });
  try {
    await waitUntilKnown(session, Object.keys(servers).length);
    const searchMs = [];
    for (let n = 0; contender.find && n < searches; n += 1) {
      const begin = performance.now();
      await ask(session, contender.find(QUERIES[n % QUERIES.length]));
      searchMs.push(performance.now() - begin);
    }
    const server = contender.before === 'many' ? 'lean' : 'target';
    for (let n = 0; n < CALLS; n += 1) {
      const message = `message ${n}.`;
      await call(session, { server, tool: 'echo', args: { message }, isAnswer: (text) => text.includes(message) });
    }
    await pause(REST_MS);
    const memory = memoryBytes(gatewayProcesses(session.client.home));
    if (contender.remembers) await session.client.leave();
    return { name: contender.name, searchMs, memory };
  } finally {
    session.client.close();
  }
}

/** Memory of a Node process that does nothing. */
export async function bareNode() {
  const place = newPlace();
  const { pid } = start(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], place);
  await pause(REST_MS);
  const memory = memoryBytes([pid]);
  end(pid, place.env.HOME);
  return memory;
}

const overBare = (memory, bare) => ({ rss: memory.rss - bare.rss, pss: memory.pss - bare.pss });
const summarise = (map, summary) => new Map([...map].map(([name, all]) => [name, summary(all)]));
