/** A promise, and what settles it. */
export interface CallSignal {
  /** Servers that are only read take turns, and one that hangs must not hold up one that somebody waits for. */
  readonly called: Promise<void>;
  readonly call: () => void;
}

/** For one start of a server: whether somebody waits for it. */
export function callSignal(): CallSignal {
  let settle: () => void = () => undefined;
  const called = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { called, call: () => settle() };
}
