import type { Catalog } from '../catalog/index.js';

/** The delay until an approval from another process takes effect. A poll without marked tools costs microseconds. */
const POLL_MS = 1_000;

/** Polls for approvals of marked or held tools until it is disposed of. */
export function watchPins(catalog: Pick<Catalog, 'reloadPins'>): Disposable {
  // Polling, because some drives send no file events.
  const timer = setInterval(() => catalog.reloadPins(), POLL_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
