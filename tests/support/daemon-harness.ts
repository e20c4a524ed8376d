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

/**
 * A throw-away machine and the address of its daemon. Disposing it stops the daemon, if one runs, and removes the
 * files.
 */
export interface DaemonSetup extends AsyncDisposable {
  readonly machine: Machine;
  readonly socket: string;
  /** The link to the socket that a daemon in the runtime directory creates. */
  readonly legacyLink: string;
  readonly env: Variables;
  /** Starts the program as MCP clients start it, and initializes the session. */
  client(options?: ClientOptions): Promise<StdioClient>;
  /** Connects to the daemon's socket without the bridge. */
  direct(): Promise<{ readonly client: LineClient; readonly socket: Socket }>;
  pid(): Promise<number | undefined>;
  run(args: readonly string[]): ReturnType<typeof portolan>;
}

/** Kills the daemon and waits for its end. `first` runs before the kill, when the pid is known. */
export async function killDaemon(setup: DaemonSetup, first: () => void = () => undefined): Promise<void> {
  const pid = (await setup.pid()) ?? 0;
  first();
  process.kill(pid, 'SIGKILL');
  await until(
    () => isAlive(pid),
    (alive) => !alive,
  );
}

/** `given`: an environment variable names the socket. `runtime folder`: clients find it in XDG_RUNTIME_DIR. */
export function makeDaemonSetup(place: 'given' | 'runtime folder' = 'given'): DaemonSetup {
  const machine = makeMachine();
  const folder = join(machine.home, 'run');
  mkdirSync(folder);
  chmodSync(folder, 0o700);
  const isGiven = place === 'given';
  const socket = join(folder, isGiven ? 's.sock' : 'mcp-bridge.sock');
  // Stands in for the real /tmp, which no test may touch.
  const shared = join(machine.home, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  const legacyLink = join(shared, 'mcp-bridge.sock');
  const env: Variables = isGiven
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
