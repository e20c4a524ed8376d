import type { Socket } from 'node:net';
import {
  ErrorCode,
  factsOf,
  isObject,
  isPipeName,
  type Log,
  makeSocketFolder,
  PortolanError,
  shellWord,
} from '../base/index.js';
import { isNewer } from './compare-versions.js';
import { DaemonConnection } from './daemon-connection.js';
import { dial } from './dial-daemon.js';
import { now } from './monotonic-clock.js';
import { claimStart, type StartOptions, startDaemon } from './start-daemon.js';

/** `auto` starts a daemon if none runs; `require` fails instead. */
export type DaemonMode = 'auto' | 'require' | 'never';

/** Sent to the daemon with each client: its directory and options. */
interface BridgeContext {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly version: string;
  readonly id?: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface FindOptions extends StartOptions {
  readonly mode: Exclude<DaemonMode, 'never'>;
  readonly context: BridgeContext;
  readonly log: Log;
  /** Called while an older daemon hands over. */
  readonly meanwhile?: () => void;
  /** Aborted when the caller no longer needs a daemon. */
  readonly ending?: AbortSignal;
}

/** Sent to the next daemon for a client that was connected to another one before. */
export interface PreviousDaemon {
  /** The id of the client at the previous daemon. */
  readonly id?: string;
  /** The previous daemon kept state for the client that is lost. */
  readonly hasLost?: boolean;
}

export interface Found {
  readonly line: DaemonConnection;
  readonly id?: string;
  /** The entries that the daemon skipped, not validated yet. */
  readonly skipped?: unknown;
  readonly version: string;
  /** It answers requests of terminal commands. */
  readonly answersCommands: boolean;
}

/** The limit for starting a daemon and connecting to it. */
export const START_MS = 3_000;
/** The minimum time a reachable daemon gets to open a session, because it may have to load the workspace first. */
const OPEN_MS = { auto: 1_500, require: 30_000 } as const;
const POLL_MS = 20;
/** The delay before another attempt to start a daemon. */
const START_AGAIN_MS = 1_000;
/** The limit for an older daemon to release its socket. */
const HAND_OVER_MS = 2_000;

/** Connects to a daemon and opens a session. Rejects with the reason if that fails. */
export async function findDaemon(options: FindOptions, waitMs: number, before: PreviousDaemon = {}): Promise<Found> {
  const ends = now() + waitMs;
  const first = await opened(await dialled(options, ends), options, ends, before);
  if (!isNewer(options.context.version, first.version)) return first;
  const versions = { own: options.context.version, daemon: first.version };
  if (options.mode !== 'auto' || !first.yields) {
    options.log(
      'warn',
      'the daemon is older than this client; run `portolan daemon stop` so that a newer one can start',
      versions,
    );
    return first;
  }
  options.log('info', 'an older daemon is being replaced', versions);
  const isStarting = await handOver(first.line, options.socket);
  const later = now() + waitMs;
  return opened(await dialled(options, later, isStarting), options, later, before);
}

interface Opened extends Found {
  /** Whether the daemon was started automatically, so that a newer one may replace it. */
  readonly yields: boolean;
}

async function opened(
  socket: Socket,
  { context, mode, meanwhile, ending }: FindOptions,
  ends: number,
  before: PreviousDaemon,
): Promise<Opened> {
  const line = new DaemonConnection(socket);
  const disconnect = () => void socket.destroy();
  if (ending?.aborted) disconnect();
  else ending?.addEventListener('abort', disconnect, { once: true });
  try {
    const { id = context.id, hasLost } = before;
    const params = { ...context, ...(id !== undefined && { id }), ...(hasLost && { hasLost }) };
    const asked = line.ask('bridge/open', params, Math.max(OPEN_MS[mode], ends - now()));
    meanwhile?.();
    const answer = await asked;
    const result = isObject(answer) ? answer : {};
    const given = typeof result.id === 'string' ? result.id : id;
    line.readOnlyTools = new Set(textsIn(result.readOnlyTools));
    return {
      ...{ line, version: String(result.version ?? ''), yields: result.yields === true, skipped: result.skipped },
      answersCommands: result.answersCommands === true,
      ...(given !== undefined && { id: given }),
    };
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    ending?.removeEventListener('abort', disconnect);
  }
}

/** An older daemon sends no list. */
function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

async function dialled(options: FindOptions, ends: number, isClaimed = false): Promise<Socket> {
  const { socket: path, mode, ending } = options;
  const began = now();
  let startedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const socket = await dial(path);
    if (socket) return socket;
    if (mode === 'require') throw noneListens(path);
    const at = now();
    if (at > ends || ending?.aborted) throw noneCame(path, at - began);
    if (at - startedAt > START_AGAIN_MS) {
      makeSocketFolder(path);
      if (isClaimed || claimStart(path)) startDaemon(options);
      isClaimed = false;
      startedAt = at;
    }
    await pause(POLL_MS);
  }
}

/**
 * Asks an older daemon to hand over. Returns true if this process may start the next one; the claim keeps an older
 * client from starting an older daemon.
 */
async function handOver(line: DaemonConnection, path: string): Promise<boolean> {
  const isClaimed = claimStart(path);
  const before = isPipeName(path) ? undefined : factsOf(path)?.ino;
  await line.ask('bridge/stop', {}, HAND_OVER_MS).catch(() => undefined);
  line.stream.destroy();
  const ends = now() + HAND_OVER_MS;
  while (before !== undefined && factsOf(path)?.ino === before && now() < ends) await pause(POLL_MS);
  return isClaimed;
}

function noneListens(path: string): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `no daemon listens on ${path}`, {
    hint: `start one with \`portolan daemon start --mcp-bridge-socket ${shellWord(path)}\``,
  });
}

function noneCame(path: string, waitedMs: number): PortolanError {
  const waited = `no daemon listened on ${path} within ${Math.round(waitedMs)} ms`;
  return new PortolanError(ErrorCode.ConnectionError, waited, { hint: 'see its log with `portolan daemon logs`' });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
