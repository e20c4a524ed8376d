// Packages such as p-limit or p-queue limit one key; here a client and a resource share each entry, and clients take turns.
import { setMaxListeners } from 'node:events';

/** One client, or one resource that clients share: what runs there, and what waits. */
export interface QueueCounter {
  inFlight: number;
  waiting: number;
  /** The waiting entries by the other side, in the order of their turns. Both sides share a line. */
  readonly lines: Map<QueueCounter, Set<Waiter>>;
}

export interface QueueLimits {
  readonly perClient: number;
  readonly perResource: number;
  /** The number of entries that may wait, for each client and for each resource. */
  readonly waiting: number;
}

/** Why an entry got no place. */
export type Refusal = 'client-full' | 'resource-full' | 'too-long' | 'cancelled';

export interface QueueEntry {
  readonly client: QueueCounter;
  readonly resource: QueueCounter;
  /** The current limits, which may change while the entry waits. */
  readonly limits: () => QueueLimits;
  readonly maxWaitMs?: number;
  readonly signal: AbortSignal | undefined;
  readonly error: (why: Refusal) => Error;
}

interface Waiter extends QueueEntry {
  start(): void;
  refuse(why: Refusal): void;
}

export function newCounter(): QueueCounter {
  return { inFlight: 0, waiting: 0, lines: new Map() };
}

/** A place for one entry. It is given back once, however often it is disposed of. */
class Place implements Disposable {
  #sides: readonly [client: QueueCounter, resource: QueueCounter] | undefined;

  constructor(client: QueueCounter, resource: QueueCounter) {
    client.inFlight += 1;
    resource.inFlight += 1;
    this.#sides = [client, resource];
  }

  [Symbol.dispose](): void {
    if (!this.#sides) return;
    const [client, resource] = this.#sides;
    this.#sides = undefined;
    client.inFlight -= 1;
    resource.inFlight -= 1;
    if (resource.waiting > 0) advance(resource);
    if (client.waiting > 0) advance(client);
  }
}

/** A place, if there is room and no other entry of this client waits for the resource. */
export function tryPlace(
  client: QueueCounter,
  resource: QueueCounter,
  perClient: number,
  perResource: number,
): Disposable | undefined {
  const hasRoom = client.inFlight < perClient && resource.inFlight < perResource;
  return hasRoom && !resource.lines.has(client) ? new Place(client, resource) : undefined;
}

/**
 * Waits for a place. Clients take turns at a resource, and a busy resource does not delay entries for others. Throws or
 * rejects with `error(why)` if there is none.
 */
export function waitForPlace(entry: QueueEntry): Promise<Disposable> {
  const { client, resource, signal, maxWaitMs, error } = entry;
  if (signal?.aborted) throw error('cancelled');
  makeRoom(entry);
  return new Promise((resolve, reject) => {
    const end = () => {
      leave(waiter);
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const waiter: Waiter = {
      ...entry,
      start: () => {
        end();
        resolve(new Place(client, resource));
      },
      refuse: (why) => {
        end();
        reject(error(why));
      },
    };
    const onAbort = () => waiter.refuse('cancelled');
    const timer = maxWaitMs === undefined ? undefined : setTimeout(() => waiter.refuse('too-long'), maxWaitMs).unref();
    // The entries of a program share one signal; without this Node would warn of a listener leak.
    if (signal) setMaxListeners(0, signal);
    signal?.addEventListener('abort', onAbort);
    join(waiter);
    // The limits may have been raised since the last place was given back.
    advance(resource);
  });
}

/** Starts waiting entries of one client or resource, one from each line in turn, while there is room. */
function advance(counter: QueueCounter): void {
  for (const [other, line] of counter.lines) {
    const [waiter] = line;
    if (!waiter) continue;
    const { perClient, perResource } = waiter.limits();
    // Skip: this entry's limits leave no room on one of its two sides, but the next line's entry may still start.
    if (waiter.client.inFlight >= perClient || waiter.resource.inFlight >= perResource) continue;
    // Moved to the end of the map, where this loop reaches it again if there is still room.
    counter.lines.delete(other);
    counter.lines.set(other, line);
    waiter.start();
  }
}

/** Shares a full queue fairly: the client with the most waiting entries loses its newest one to a client with fewer. */
function makeRoom({ client, resource, limits, error }: QueueEntry): void {
  const { waiting } = limits();
  if (client.waiting >= waiting) throw error('client-full');
  if (resource.waiting < waiting) return;
  const own = resource.lines.get(client)?.size ?? 0;
  const longest = [...resource.lines.values()].reduce((a, b) => (b.size > a.size ? b : a), new Set<Waiter>());
  const newest = [...longest].at(-1);
  if (!newest || longest.size <= own + 1) throw error('resource-full');
  newest.refuse('resource-full');
}

function join(waiter: Waiter): void {
  const { client, resource } = waiter;
  const line = client.lines.get(resource) ?? new Set();
  line.add(waiter);
  client.lines.set(resource, line);
  resource.lines.set(client, line);
  client.waiting += 1;
  resource.waiting += 1;
}

function leave(waiter: Waiter): void {
  const { client, resource } = waiter;
  const line = client.lines.get(resource);
  if (!line?.delete(waiter)) return;
  client.waiting -= 1;
  resource.waiting -= 1;
  if (line.size > 0) return;
  client.lines.delete(resource);
  resource.lines.delete(client);
}
