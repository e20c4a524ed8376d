/** Who is told: a function, or an object that has a place for it, which costs none for each call. */
export type AbortWatcher = (() => void) | { handleEvent(): void };

const watchers = new WeakMap<AbortSignal, AbortWatcher[]>();

/**
 * A controller for many calls, one after the other: its signal has one listener for all of them, because adding and
 * removing one for each costs as much as sending the call.
 */
export function lastingController(): AbortController {
  const controller = new AbortController();
  const told: AbortWatcher[] = [];
  const tell = () => {
    for (const one of [...told]) if (told.includes(one)) typeof one === 'function' ? one() : one.handleEvent();
  };
  controller.signal.addEventListener('abort', tell, { once: true });
  watchers.set(controller.signal, told);
  return controller;
}

/** Tells a watcher when the signal aborts, until it is taken back. */
export function watchAbort(signal: AbortSignal, watcher: AbortWatcher): void {
  const told = watchers.get(signal);
  if (told) told.push(watcher);
  // One that is composed of others is kept alive by its listeners: nothing may stay with it.
  else signal.addEventListener('abort', watcher, ONCE);
}

export function unwatchAbort(signal: AbortSignal, watcher: AbortWatcher): void {
  const told = watchers.get(signal);
  if (told) takeOut(told, watcher);
  else signal.removeEventListener('abort', watcher);
}

const ONCE = { once: true } as const;

/** In no order: the last takes the place. */
function takeOut(told: AbortWatcher[], watcher: AbortWatcher): void {
  const at = told.lastIndexOf(watcher);
  const last = at < 0 ? undefined : told.pop();
  if (last && last !== watcher) told[at] = last;
}
