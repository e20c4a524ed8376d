/** As long as running calls may take when we are told to end. */
export const DRAIN_MS = 10_000;
