/** A promise and the function that resolves it. */
export interface CallSignal {
  /** Resolves when a call needs the server, which then skips the start queue: a hanging server must not delay a call. */
  readonly called: Promise<void>;
  readonly call: () => void;
}

/** Created for each start of a server. */
export function callSignal(): CallSignal {
  let settle: () => void = () => undefined;
  const called = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { called, call: () => settle() };
}
