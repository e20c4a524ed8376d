/** A callback, or an object with `handleEvent`, which needs no new closure for each call. */
export type AbortWatcher = (() => void) | { handleEvent(): void };

const watchers = new WeakMap<AbortSignal, AbortWatcher[]>();

/**
 * A controller that is reused for many consecutive calls. Its signal has one listener for all of them, because adding
 * and removing a listener for each call costs as much as sending the call.
 */
export function lastingController(): AbortController {
  const controller = new AbortController();
  const registered: AbortWatcher[] = [];
  const notify = () => {
    for (const one of [...registered])
      if (registered.includes(one)) typeof one === 'function' ? one() : one.handleEvent();
  };
  controller.signal.addEventListener('abort', notify, { once: true });
  watchers.set(controller.signal, registered);
  return controller;
}

/** Calls `watcher` when the signal aborts, until `unwatchAbort` removes it. */
export function watchAbort(signal: AbortSignal, watcher: AbortWatcher): void {
  const registered = watchers.get(signal);
  if (registered) registered.push(watcher);
  // Listeners keep a composed signal alive, so they must be removable: no wrapper may stay registered.
  else signal.addEventListener('abort', watcher, ONCE);
}

export function unwatchAbort(signal: AbortSignal, watcher: AbortWatcher): void {
  const registered = watchers.get(signal);
  if (registered) removeFrom(registered, watcher);
  else signal.removeEventListener('abort', watcher);
}

const ONCE = { once: true } as const;

/** Order does not matter: the last element moves into the hole. */
function removeFrom(registered: AbortWatcher[], watcher: AbortWatcher): void {
  const at = registered.lastIndexOf(watcher);
  const last = at < 0 ? undefined : registered.pop();
  if (last && last !== watcher) registered[at] = last;
}
