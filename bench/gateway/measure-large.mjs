import { performance } from 'node:perf_hooks';
import { median, rotated } from './figures.mjs';
import { call, connect, waitUntilKnown } from './session.mjs';

const LENGTH = 10_000_000;

/** For each contender: how long a result of 10 MB takes, in ms. */
export async function measureLarge(contenders, server, { rounds }, notes) {
  const taken = new Map(contenders.map(({ name }) => [name, []]));
  const open = new Set();
  try {
    for (const contender of contenders) {
      try {
        const session = await connect(contender, { target: server });
        open.add(session);
        await waitUntilKnown(session, 1);
        await fetchLarge(session); // the first fills caches and grows heaps
      } catch (error) {
        notes.add(`${contender.name}, 10 MB result`, error);
      }
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const session of rotated([...open], round)) {
        try {
          const begin = performance.now();
          await fetchLarge(session);
          taken.get(session.contender.name).push(performance.now() - begin);
        } catch (error) {
          notes.add(`${session.contender.name}, 10 MB result`, error);
          open.delete(session);
          session.client.close();
        }
      }
    }
  } finally {
    for (const session of open) session.client.close();
  }
  return new Map([...taken].flatMap(([name, times]) => (times.length > 0 ? [[name, median(times)]] : [])));
}

function fetchLarge(session) {
  const isAnswer = (text) => text.length >= LENGTH;
  return call(session, { server: 'target', tool: 'bytes', args: { length: LENGTH }, isAnswer });
}
