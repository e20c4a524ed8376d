// Measures the time from the start of a process to its first list, with one server and with thirty, and until the tools
// of all servers are known.
import { performance } from 'node:perf_hooks';
import { median, rotated } from './figures.mjs';
import { leanServer, manyServers, minimalServer } from './servers.mjs';
import { connect, newPlace, waitUntilKnown } from './session.mjs';

const SERVERS = 30;

/** Medians in ms by row and contender; `minimal` is the reference, a server of the SDK with one tool. */
export async function measureStarts(contenders, { rounds }, notes) {
  const many = manyServers(SERVERS);
  const tasks = contenders.flatMap((contender) => tasksOf(contender, many));
  const minimal = minimalServer();
  if (minimal) tasks.push({ row: 'minimal', name: 'minimal', run: () => firstList(contenders[0], { minimal }) });
  else notes.add('minimal server', 'the SDK is not installed');

  const taken = new Map();
  const failed = new Set();
  for (let round = -1; round < rounds; round += 1) {
    for (const task of rotated(tasks, round + 1)) {
      if (failed.has(task)) continue;
      try {
        const ms = await task.run();
        if (round < 0) continue; // the first round fills the disk's cache
        const key = `${task.row}\t${task.name}`;
        taken.set(key, [...(taken.get(key) ?? []), ms]);
      } catch (error) {
        notes.add(task.name, error);
        failed.add(task);
      }
    }
  }
  const rows = {};
  for (const [key, times] of taken) {
    const [row, name] = key.split('\t');
    rows[row] ??= new Map();
    rows[row].set(name, median(times));
  }
  return rows;
}

function tasksOf(contender, many) {
  const { name } = contender;
  const tasks = [{ row: 'one', name, run: () => firstList(contender, { target: leanServer('target') }) }];
  if (name === 'direct') tasks.push({ row: 'known', name, run: () => everyList(contender, many) });
  if (contender.before === 'many') tasks.push({ row: 'cold', name, run: () => firstList(contender, many) });
  if (contender.known) tasks.push({ row: 'known', name, run: () => untilKnown(contender, many) });
  if (contender.remembers) {
    const place = newPlace(); // kept for all rounds: the first one, which does not count, fills its cache
    tasks.push({ row: 'warm', name, run: () => firstList(contender, many, place) });
    tasks.push({ row: 'knownWarm', name, run: () => untilKnown(contender, many, place) });
  }
  return tasks;
}

async function firstList(contender, servers, place = newPlace()) {
  const session = await connect(contender, servers, { place });
  await leave(session);
  return session.firstListMs;
}

/** A client without a gateway: it starts all servers at once and requests the list of each. */
async function everyList(contender, servers) {
  const begin = performance.now();
  const sessions = await Promise.all(
    Object.entries(servers).map((server) => connect(contender, Object.fromEntries([server]))),
  );
  const ms = performance.now() - begin;
  for (const { client } of sessions) client.close();
  return ms;
}

async function untilKnown(contender, servers, place = newPlace()) {
  const session = await connect(contender, servers, { place });
  try {
    await waitUntilKnown(session, Object.keys(servers).length);
    return performance.now() - session.begin;
  } finally {
    await leave(session);
  }
}

/** A contender with a cache gets time to write it; the others get none. */
async function leave({ contender, client }) {
  if (contender.remembers) await client.leave();
  else client.close();
}
