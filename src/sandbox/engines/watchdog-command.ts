import type { GuestCommand } from './spawn-guest.js';

/**
 * The shell waits for a first line, by which it is in its cgroup. Then it makes way for the program and leaves behind one
 * that waits for our end: nothing else would stop a program that never looks at its pipes again. A second line means
 * that all is well, an end without one that we are dead. It ends the whole group, because bubblewrap, killed while it
 * starts, leaves a child that waits for it for ever.
 */
const GUARD = `ulimit -c 0; ulimit -d "$1" 2>/dev/null; shift
read -r line <&3 || exit 1
(read -r line <&3 || kill -s KILL -- -$$) </dev/null >/dev/null 2>&1 &
exec 3<&-
[ "$1" = moved ] && exec 4<&0 5>&1 </dev/null >&2
shift; exec "$@"`;

/** Where the pipes are that a program finds elsewhere than on 0 and 1. */
export const MOVED = { input: 4, output: 5 } as const;

/** Node makes what it takes for its own stdin not block, and to wait for that costs a millisecond a call. */
export type Pipes = 'moved' | 'usual';

/** The same program, ended with us whatever happens, and with a limit for all its memory where the system has one. */
export function guarded(
  command: string,
  args: readonly string[],
  dataBytes: number | 'unlimited',
  pipes: Pipes,
): Pick<GuestCommand, 'command' | 'args' | 'watched'> {
  if (process.platform === 'win32') return { command, args };
  const kilobytes = dataBytes === 'unlimited' ? dataBytes : String(Math.ceil(dataBytes / 1024));
  const own = ['-c', GUARD, 'portolan-sandbox', kilobytes, pipes];
  return { command: '/bin/sh', args: [...own, command, ...args], watched: true };
}
