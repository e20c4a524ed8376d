// Measures sequential calls and 16 calls in flight. All contenders are open at once and take turns in small batches, so
// that other load on the machine affects all of them. All sequential calls come before all calls in flight: for a while
// after a phase, the processes stay on the CPU cores of that phase, which would distort the other one.
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile, rotated } from './figures.mjs';
import { cpuMicroseconds, gatewayProcesses } from './processes.mjs';
import { call, connect, newPlace, waitUntilKnown } from './session.mjs';

const IN_FLIGHT = 16;
/** A gateway runs for days, so each contender gets ten thousand calls first, until V8 has compiled all of its code. */
const WARM_UP_BATCHES = 8;
/** Work of a gateway after the calls, such as writing its log, counts too. */
const AFTERWARDS_MS = 500;

/**
 * For each contender: p50 and p99 in ms, calls per second, and CPU time of the gateway per call in µs. `beside` are
 * additional servers of a gateway, and `prepare` runs on each connection before its calls.
 */
export async function measureCalls(contenders, server, options, notes) {
  const { epochs, batches, inSequence, atOnce, tool } = options;
  const samples = new Map(
    contenders.map(({ name }) => [name, { times: [], medians: [], rates: [], cpu: 0, calls: 0 }]),
  );
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const open = await openAll(contenders, server, options, notes);
    try {
      for (let batch = -WARM_UP_BATCHES; batch < batches; batch += 1) {
        for (const part of [beginToCount, sequence, burst]) {
          for (const session of inTurns([...open], batch + WARM_UP_BATCHES)) {
            try {
              const taken = await part(session, { batch, tool, inSequence, atOnce });
              if (batch >= 0) add(samples.get(session.contender.name), taken);
            } catch (error) {
              notes.add(`${session.contender.name}, calls`, error);
              open.delete(session);
              session.client.close();
            }
          }
        }
      }
      await pause(AFTERWARDS_MS);
      for (const session of open) endCounting(session, samples.get(session.contender.name));
    } finally {
      for (const session of open) session.client.close();
    }
  }
  return new Map([...samples].flatMap(([name, taken]) => (taken.times.length > 0 ? [[name, summary(taken)]] : [])));
}

async function openAll(contenders, server, { client, beside = {}, prepare = async () => {} }, notes) {
  const open = new Set();
  for (const contender of contenders) {
    try {
      const place = newPlace(contender.unlimited);
      const servers = { target: server, ...(contender.before === 'many' && beside) };
      const session = await connect(contender, servers, { place, ...(client && { client }) });
      open.add(session);
      await waitUntilKnown(session, Object.keys(servers).length);
      await prepare(session);
    } catch (error) {
      notes.add(contender.name, error);
    }
  }
  return open;
}

/** Each contender comes first once, and runs equally often after each of the others. */
export function inTurns(sessions, batch) {
  const turns = rotated(sessions, batch);
  return batch % 2 === 0 ? turns : turns.reverse();
}

async function beginToCount(session, { batch, tool }) {
  if (batch !== 0) return {};
  await one(session, tool, 0); // a gateway may start a process of its own at its first call
  session.pids = gatewayProcesses(session.client.home);
  session.cpuBefore = cpuMicroseconds(session.pids);
  return {};
}

function endCounting({ pids, cpuBefore }, held) {
  const cpu = cpuMicroseconds(pids);
  held.cpu = cpu === undefined || held.cpu === undefined ? undefined : held.cpu + cpu - cpuBefore;
}

export async function sequence(session, { tool, inSequence }) {
  const times = [];
  for (let n = 0; n < inSequence; n += 1) {
    const begin = performance.now();
    await one(session, tool, n);
    times.push(performance.now() - begin);
  }
  return { times, calls: inSequence };
}

export async function burst(session, { tool, atOnce }) {
  const begin = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < atOnce) {
      next += 1;
      await one(session, tool, next);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return { rates: [(atOnce / (performance.now() - begin)) * 1_000], calls: atOnce };
}

function one(session, tool, n) {
  const message = `message ${n}.`;
  return call(session, { server: 'target', tool, args: { message }, isAnswer: (text) => text.includes(message) });
}

function add(held, { times = [], rates = [], calls = 0 }) {
  held.times.push(...times);
  if (times.length > 0) held.medians.push(median(times));
  held.rates.push(...rates);
  held.calls += calls;
}

function summary({ times, medians, rates, cpu, calls }) {
  return {
    p50: median(times),
    p99: quantile(times, 0.99),
    callsPerSecond: median(rates),
    cpuPerCall: cpu === undefined ? undefined : cpu / calls,
    // By batch, in the order in which they ran: contenders are compared within the same batch, because the machine is
    // noisy.
    batches: { medians, rates },
  };
}
