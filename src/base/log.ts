export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** One thing that happened. Names of variables, never their values. */
export type Log = (level: LogLevel, message: string, facts?: Readonly<Record<string, unknown>>) => void;

const ORDER: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** One JSON object a line: stdout belongs to the protocol, so this goes to stderr. */
export function jsonLog(write: (line: string) => void, least: LogLevel, now: () => number = Date.now): Log {
  return (level, message, facts = {}) => {
    if (ORDER.indexOf(level) < ORDER.indexOf(least)) return;
    write(`${JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...facts })}\n`);
  };
}

/** For those to whom nobody listens. */
export const silentLog: Log = () => undefined;
