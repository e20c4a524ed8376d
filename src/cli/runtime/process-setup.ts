import type { Writable } from 'node:stream';
import { jsonLog, type Log, type LogLevel } from '../../base/index.js';
import type { ShutdownSignal } from './command.js';
import { ENDING_SIGNALS, ShutdownSignalError } from './shutdown-signal.js';

const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** As loud as `PORTOLAN_LOG` says; stdout belongs to the protocol. */
export function stderrLog(): Log {
  const level = LOG_LEVELS.find((known) => known === process.env.PORTOLAN_LOG) ?? 'warn';
  return jsonLog((line) => {
    // Who does not want our log does not get it.
    if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => undefined);
    process.stderr.write(line);
  }, level);
}

/** Aborted by the first signal, for an end in order; the second ends the process at once. */
export function untilSignal(): AbortSignal {
  return hearSignals().signal;
}

/** The same until it is disposed of: from then on a signal ends the process as if nobody had listened. */
export function hearSignals(): ShutdownSignal {
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

/** By then a gateway has started and read what its servers can do. */
const STARTED_MS = 3_000;
/** From 1 MB to four. */
const GROWTH = 4;

/**
 * Young objects have a place of their own, which V8 doubles when many of them live on, and does not make smaller again: a
 * gateway that once read the tools of forty servers would hold 32 MB for it as long as it runs. But where it stays as small as it
 * begins, it is emptied so often that calls cost a tenth more. So it grows once, for calls and not for what lives on after the
 * start, and is emptied by one thread: on a small machine the helpers take the cores that client and server need
 * (docs/decisions/0020). Whoever has chosen a size keeps it.
 */
export function stayLean(startedMs = STARTED_MS): void {
  const chosen = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  if (/semi[-_]space/.test(chosen)) return;
  const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule('node:v8');
  const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks');
  const growBy = (factor: number) => setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
  const growOnce = () => {
    const before = size();
    const observer = new PerformanceObserver(() => {
      if (size() < before * GROWTH) return;
      growBy(1);
      observer.disconnect();
    });
    observer.observe({ entryTypes: ['gc'] }); // it grows only then
    growBy(GROWTH);
  };
  setFlagsFromString('--no-parallel-scavenge');
  growBy(1);
  setTimeout(growOnce, startedMs).unref();
}

/** On Linux and macOS `process.stdout` blocks the whole process while a slow reader empties a pipe. */
export function asyncStdout(): Writable {
  const { Socket } = process.getBuiltinModule('node:net');
  try {
    return new Socket({ fd: 1, readable: false, writable: true });
  } catch {
    return process.stdout; // a file, which no reader can hold up
  }
}
