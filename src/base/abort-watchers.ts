const watchers = new WeakMap<AbortSignal, (() => void)[]>();

/**
 * A controller for many calls, one after the other: its signal has one listener for all of them, because adding and
 * removing one for each costs as much as sending the call.
 */
export function lastingController(): AbortController {
  const controller = new AbortController();
  const acts: (() => void)[] = [];
  const tell = () => {
    for (const act of [...acts]) if (acts.includes(act)) act();
  };
  controller.signal.addEventListener('abort', tell, { once: true });
  watchers.set(controller.signal, acts);
  return controller;
}

/** Calls `act` when the signal aborts, until it is taken back. */
export function watchAbort(signal: AbortSignal, act: () => void): void {
  const acts = watchers.get(signal);
  if (acts) acts.push(act);
  // One that is composed of others is kept alive by its listeners: nothing may stay with it.
  else signal.addEventListener('abort', act, ONCE);
}

export function unwatchAbort(signal: AbortSignal, act: () => void): void {
  const acts = watchers.get(signal);
  if (acts) takeOut(acts, act);
  else signal.removeEventListener('abort', act);
}

const ONCE = { once: true } as const;

/** In no order: the last takes the place. */
function takeOut(acts: (() => void)[], act: () => void): void {
  const at = acts.lastIndexOf(act);
  const last = at < 0 ? undefined : acts.pop();
  if (last && last !== act) acts[at] = last;
}
