export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Logs one event. Facts contain the names of variables, never their values. */
export type Log = (level: LogLevel, message: string, facts?: Readonly<Record<string, unknown>>) => void;

const ORDER: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Writes one JSON object per line. stdout belongs to the protocol, so the caller passes stderr. */
export function jsonLog(write: (line: string) => void, least: LogLevel, now: () => number = Date.now): Log {
  return (level, message, facts = {}) => {
    if (ORDER.indexOf(level) < ORDER.indexOf(least)) return;
    write(`${JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...facts })}\n`);
  };
}

/** Discards all messages. */
export const silentLog: Log = () => undefined;
