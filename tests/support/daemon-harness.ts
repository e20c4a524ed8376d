import { chmodSync, mkdirSync } from 'node:fs';
import { connect as connectTo, type Socket } from 'node:net';
import { join } from 'node:path';
import { isAlive, portolan, type StdioClient, start, until, type Variables } from './client-over-stdio.js';
import { LineClient } from './gateway-harness.js';
import { type Machine, makeMachine } from './machine.js';

interface ClientOptions {
  readonly cwd?: string;
  readonly env?: Variables;
  readonly mode?: string;
  readonly args?: readonly string[];
}

/** A throw-away machine with a place for a daemon, which is ended with it. */
export interface DaemonHouse extends AsyncDisposable {
  readonly machine: Machine;
  readonly socket: string;
  /** Where a daemon in the runtime folder links to its socket. */
  readonly legacyLink: string;
  readonly env: Variables;
  /** A client that was started as clients start us, and has said hello. */
  client(options?: ClientOptions): Promise<StdioClient>;
  /** A client that speaks to the socket itself. */
  direct(): Promise<{ readonly client: LineClient; readonly socket: Socket }>;
  pid(): Promise<number | undefined>;
  run(args: readonly string[]): ReturnType<typeof portolan>;
}

/** Kills the daemon and waits until it is gone; `first` runs once its pid is known, before it is killed. */
export async function killDaemon(house: DaemonHouse, first: () => void = () => undefined): Promise<void> {
  const pid = (await house.pid()) ?? 0;
  first();
  process.kill(pid, 'SIGKILL');
  await until(
    () => isAlive(pid),
    (alive) => !alive,
  );
}

/** Clients are told where the socket is, or find it in the folder that the system gives a user. */
export function daemonHouse(place: 'said' | 'runtime folder' = 'said'): DaemonHouse {
  const machine = makeMachine();
  const folder = join(machine.home, 'run');
  mkdirSync(folder);
  chmodSync(folder, 0o700);
  const isSaid = place === 'said';
  const socket = join(folder, isSaid ? 's.sock' : 'mcp-bridge.sock');
  // Stands in for the real /tmp, which no test may touch.
  const shared = join(machine.home, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  const legacyLink = join(shared, 'mcp-bridge.sock');
  const env: Variables = isSaid
    ? { MCP_BRIDGE_SOCKET: socket }
    : { XDG_RUNTIME_DIR: folder, MCP_BRIDGE_LEGACY_LINK: legacyLink };
  const run = (args: readonly string[]) => portolan(machine, args, env);
  const pid = async () =>
    JSON.parse((await run(['daemon', 'status', '--json'])).stdout || '{}').pid as number | undefined;
  return {
    machine,
    socket,
    legacyLink,
    env,
    run,
    pid,
    client: async ({ cwd = machine.project, env: more = {}, mode = 'auto', args = ['serve'] } = {}) => {
      const client = start({ ...machine, project: cwd }, { args, env: { ...env, PORTOLAN_DAEMON: mode, ...more } });
      await client.initialize();
      return client;
    },
    direct: () =>
      new Promise((resolve, reject) => {
        const stream = connectTo({ path: socket, allowHalfOpen: true });
        stream.once('error', reject);
        stream.once('connect', () => resolve({ client: new LineClient(stream, stream), socket: stream }));
      }),
    [Symbol.asyncDispose]: async () => {
      await run(['daemon', 'stop']);
      machine[Symbol.dispose]();
    },
  };
}
