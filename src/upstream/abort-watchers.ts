const watchers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` when the signal aborts, until it is taken back. A signal has one listener however many calls it sees, at
 * once or one after the other: adding and removing one for each costs as much as sending the call.
 */
export function watchAbort(signal: AbortSignal, act: () => void): void {
  const known = watchers.get(signal);
  if (known) known.add(act);
  else watchers.set(signal, watched(signal, act));
}

export function unwatchAbort(signal: AbortSignal, act: () => void): void {
  watchers.get(signal)?.delete(act);
}

function watched(signal: AbortSignal, first: () => void): Set<() => void> {
  const acts = new Set([first]);
  const tell = () => {
    for (const act of acts) act();
  };
  signal.addEventListener('abort', tell, { once: true });
  return acts;
}
