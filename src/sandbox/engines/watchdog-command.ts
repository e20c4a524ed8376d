import type { GuestCommand } from './spawn-guest.js';

/**
 * The shell waits for a first line, which arrives once its process is in the cgroup. Then it becomes the program and
 * leaves a watchdog process, because a program that never reads its pipes would not notice that Portolan died. A second
 * line means that the guest has ended; the end of the pipe without one means that Portolan died. The watchdog kills the
 * whole process group, because bubblewrap, if killed while it starts, leaves a child that waits for it forever.
 */
const WATCHDOG_SCRIPT = `ulimit -c 0; ulimit -d "$1" 2>/dev/null; shift
read -r line <&3 || exit 1
(read -r line <&3 || kill -s KILL -- -$$) </dev/null >/dev/null 2>&1 &
exec 3<&-
[ "$1" = moved ] && exec 4<&0 5>&1 </dev/null >&2
shift; exec "$@"`;

/** The descriptors of the pipes if they are not 0 and 1. */
export const MOVED = { input: 4, output: 5 } as const;

/**
 * Whether the pipes of the guest get other descriptors than 0 and 1: Node makes its own stdin non-blocking, and polling
 * it would cost a millisecond per call.
 */
export type Pipes = 'moved' | 'usual';

/** The command with a watchdog that ends it when Portolan dies, and with a memory limit if the system has one. */
export function withWatchdog(
  command: string,
  args: readonly string[],
  dataBytes: number | 'unlimited',
  pipes: Pipes,
): Pick<GuestCommand, 'command' | 'args' | 'watched'> {
  if (process.platform === 'win32') return { command, args };
  const kilobytes = dataBytes === 'unlimited' ? dataBytes : String(Math.ceil(dataBytes / 1024));
  const own = ['-c', WATCHDOG_SCRIPT, 'portolan-sandbox', kilobytes, pipes];
  return { command: '/bin/sh', args: [...own, command, ...args], watched: true };
}
