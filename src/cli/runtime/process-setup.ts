import type { Writable } from 'node:stream';
import { jsonLog, type Log, type LogLevel } from '../../base/index.js';
import type { ShutdownSignal } from './command.js';
import { ENDING_SIGNALS, ShutdownSignalError } from './shutdown-signal.js';

const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Logs to stderr at the level of `PORTOLAN_LOG`, because stdout carries the protocol. */
export function stderrLog(): Log {
  const level = LOG_LEVELS.find((known) => known === process.env.PORTOLAN_LOG) ?? 'warn';
  return jsonLog((line) => {
    // A closed stderr must not end the process.
    if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => undefined);
    process.stderr.write(line);
  }, level);
}

/** Aborted by the first shutdown signal; the second one exits at once. */
export function signalOnShutdown(): AbortSignal {
  return catchSignals().signal;
}

/** The same until disposal; then signals have their default effect again. */
export function catchSignals(): ShutdownSignal {
  const ending = new AbortController();
  const listeners = ENDING_SIGNALS.map((signal) => {
    const listener = () => {
      if (ending.signal.aborted) process.exit(1);
      ending.abort(new ShutdownSignalError(signal));
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return {
    signal: ending.signal,
    [Symbol.dispose]: () => {
      for (const stop of listeners) stop();
    },
  };
}

/** By then a gateway has read the tools of its servers, also on a busy machine. */
const STARTED_MS = 10_000;
/** V8's default. */
const USUAL_GROWTH = 2;

/** Without this V8 flag a gateway that reads 734 tools at its start keeps 65 MB over bare Node (limit of the benchmark: 50). */
export function keepStartupHeapSmall(startedMs = STARTED_MS): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  // The young generation doubles while much of it survives, as at the start, and never shrinks.
  setFlagsFromString('--semi-space-growth-factor=1');
  setTimeout(() => setFlagsFromString(`--semi-space-growth-factor=${USUAL_GROWTH}`), startedMs).unref();
}

/** On Linux and macOS `process.stdout` blocks the whole process while a slow reader empties a pipe. */
export function asyncStdout(): Writable {
  const { Socket } = process.getBuiltinModule('node:net');
  try {
    return new Socket({ fd: 1, readable: false, writable: true });
  } catch {
    return process.stdout; // a file, which never blocks for a slow reader
  }
}
