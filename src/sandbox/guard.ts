import type { GuestCommand } from './spawn-guest.js';

/**
 * The shell makes way for the program and leaves behind one that waits for our end: nothing else would stop a program
 * that never looks at its pipes again. A line means that all is well, an end without one that we are dead.
 */
const GUARD = `ulimit -c 0; ulimit -d "$1" 2>/dev/null; shift
(read -r line <&3 || kill -9 $$) </dev/null >/dev/null 2>&1 &
exec 3<&-; exec "$@"`;

/** The same program, ended with us whatever happens, and with a limit for all its memory where the system has one. */
export function guarded(
  command: string,
  args: readonly string[],
  dataBytes: number,
): Pick<GuestCommand, 'command' | 'args' | 'watched'> {
  if (process.platform === 'win32') return { command, args };
  const kilobytes = String(Math.ceil(dataBytes / 1024));
  return { command: '/bin/sh', args: ['-c', GUARD, 'portolan-sandbox', kilobytes, command, ...args], watched: true };
}
