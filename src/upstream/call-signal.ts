/** Whether somebody waits for a server, or it is only read. */
export interface Called {
  wasCalled: boolean;
  /** Settles with the first call: servers that are only read take turns, and one that hangs must not hold up a call. */
  called: Promise<void>;
  call: () => void;
}

/** A promise and what settles it, for one life of a server. */
export function callSignal(owner: () => Pick<Called, 'wasCalled'>): Pick<Called, 'called' | 'call'> {
  let settle: () => void = () => undefined;
  const called = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const call = () => {
    owner().wasCalled = true;
    settle();
  };
  return { called, call };
}
