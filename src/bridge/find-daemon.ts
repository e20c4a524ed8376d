import type { Socket } from 'node:net';
import { ErrorCode, isObject, makeSocketFolder, PortolanError } from '../base/index.js';
import { DaemonLine } from './daemon-line.js';
import { dial } from './dial.js';
import { type StartOptions, startDaemon } from './start-daemon.js';

/** `auto` starts a daemon where there is none, `require` waits for one. */
export type DaemonMode = 'auto' | 'require' | 'never';

/** What travels with a client: where it works and with what. */
export interface BridgeContext {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly id?: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface FindOptions extends StartOptions {
  readonly mode: Exclude<DaemonMode, 'never'>;
  readonly context: BridgeContext;
}

/** A daemon that was started and has not come by then does not come. */
const START_MS = 3_000;
/** Who wants no other waits for one as long as a person might. */
const REQUIRE_MS = 600_000;
const LOOK_MS = 20;
/** A chart can take long to read. */
const OPEN_MS = 30_000;
/** After this long without one, another attempt to start it is due. */
const START_AGAIN_MS = 1_000;

export interface Found {
  readonly line: DaemonLine;
  /** By which the daemon and other clients know this one. */
  readonly id?: string;
}

/** A daemon that has taken us in. Rejects with why there is none. */
export async function findDaemon(options: FindOptions, id = options.context.id): Promise<Found> {
  const socket = await dialled(options);
  const line = new DaemonLine(socket);
  try {
    const opened = await line.ask('bridge/open', { ...options.context, ...(id !== undefined && { id }) }, OPEN_MS);
    const given = isObject(opened) && typeof opened.id === 'string' ? opened.id : id;
    return { line, ...(given !== undefined && { id: given }) };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function dialled(options: FindOptions): Promise<Socket> {
  const { socket: path, mode } = options;
  const limitMs = mode === 'auto' ? START_MS : REQUIRE_MS;
  const ends = performance.now() + limitMs;
  let startedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const socket = await dial(path);
    if (socket) return socket;
    const now = performance.now();
    if (now > ends)
      throw new PortolanError(ErrorCode.ConnectionError, `no daemon came to ${path} within ${limitMs} ms`, {
        hint: 'its log is shown by `portolan daemon logs`',
      });
    if (mode === 'auto' && now - startedAt > START_AGAIN_MS) {
      makeSocketFolder(path);
      startDaemon(options);
      startedAt = now;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
