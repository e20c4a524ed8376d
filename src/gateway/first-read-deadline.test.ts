import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import type { CatalogEntry } from '../catalog/index.js';
import { admit } from '../policy/index.js';
import { FirstReadDeadline } from './first-read-deadline.js';

const LONG_MS = 20_000;

function entry(name: string): CatalogEntry {
  const server = admit(name, definition({ name, command: name }), { kind: 'allowed' });
  if (!server) throw new Error('not admitted');
  return { server };
}

describe('FirstReadDeadline', () => {
  it('waits once for a read that hangs, and again for another read', async () => {
    const deadline = new FirstReadDeadline();
    const hanging = new Promise<CatalogEntry>(() => undefined);
    await deadline.settle([hanging], 20, undefined);
    await deadline.settle([hanging], LONG_MS, undefined); // does not wait
    const told: unknown[] = [];
    const conversation = {
      client: 'c',
      signal: new AbortController().signal,
      progress: (said: unknown) => told.push(said),
    };
    await deadline.settle([hanging, Promise.resolve(entry('a'))], LONG_MS, conversation);
    expect(told).toEqual([{ progress: 1, total: 1, message: 'read a' }]);
  });

  it('still waits for a read after a caller that was cancelled during the wait', async () => {
    const deadline = new FirstReadDeadline();
    let read: (one: CatalogEntry) => void = () => undefined;
    const reading = new Promise<CatalogEntry>((resolve) => {
      read = resolve;
    });
    const leaving = new AbortController();
    const left = deadline.settle([reading], LONG_MS, { client: 'c', signal: leaving.signal });
    leaving.abort();
    await left;
    let isSettled = false;
    const stayed = deadline.settle([reading], LONG_MS, undefined).then(() => {
      isSettled = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSettled).toBe(false);
    read(entry('a'));
    await stayed;
  });
});
