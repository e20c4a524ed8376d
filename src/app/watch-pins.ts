import type { Catalog } from '../catalog/index.js';

/** So late counts what a person has approved in another process. A look where nothing is marked costs microseconds. */
const LOOK_MS = 1_000;

/** Looks now and then whether tools that are marked or held were approved, until it is disposed of. */
export function watchPins(catalog: Pick<Catalog, 'lookAtPins'>): Disposable {
  // No notice of a file is waited for: on some drives there is none.
  const timer = setInterval(() => catalog.lookAtPins(), LOOK_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
