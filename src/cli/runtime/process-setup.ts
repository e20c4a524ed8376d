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

/** On Linux and macOS `process.stdout` blocks the whole process while a slow reader empties a pipe. */
export function asyncStdout(): Writable {
  const { Socket } = process.getBuiltinModule('node:net');
  try {
    return new Socket({ fd: 1, readable: false, writable: true });
  } catch {
    return process.stdout; // a file, which no reader can hold up
  }
}
