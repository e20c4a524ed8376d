/** How long running calls may continue after SIGTERM or SIGINT, where `timeouts.shutdownMs` is not set. */
export const DEFAULT_SHUTDOWN_MS = 10_000;
/** The largest value of `timeouts.shutdownMs`: a process that ends later looks like one that hangs. */
export const MAX_SHUTDOWN_MS = 600_000;
