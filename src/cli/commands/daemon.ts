import { type DaemonLocation, daemonLocation, killDaemon, listensAt, recordedDaemon } from '../../app/index.js';
import { diskFiles, ErrorCode, identityOf, isAlive, isObject, PortolanError, shellWord } from '../../base/index.js';
import {
  askDaemon,
  claimStart,
  DaemonSilent,
  daemonLog,
  MANUAL_START_VARIABLES,
  startDaemon,
} from '../../bridge/index.js';
import { type DiscoverOptions, hostOf } from '../../discovery/index.js';
import {
  type Command,
  EXIT,
  flags,
  type Io,
  JSON_OPTIONS,
  needed,
  SOCKET_OPTION,
  usageError,
} from '../runtime/command.js';
import { suggestion } from '../runtime/suggestion.js';
import { shortPath, visible } from '../runtime/terminal-text.js';

const OPTIONS = {
  ...JSON_OPTIONS,
  ...SOCKET_OPTION,
  http: { type: 'string', value: 'HOST:PORT', about: 'with start: also serve HTTP clients' },
  force: { type: 'boolean', about: 'with stop: kill a daemon that does not respond, and its servers' },
} as const;
const WORDS = ['start', 'stop', 'status', 'logs'] as const;
/** How long to wait for the daemon to start or stop. */
const WAIT_MS = 15_000;
const POLL_MS = 25;
/** How long to wait for its entry in the registry, which a command right after the start may read. */
const ANNOUNCED_MS = 2_000;
/** The variable with the bearer token of HTTP clients. */
const TOKEN = 'PORTOLAN_TOKEN';
const LOG_LINES = 100;

/** Starts, stops and shows the one daemon of this user. */
export function daemonCommand(machine: DiscoverOptions = {}): Command {
  return {
    name: 'daemon',
    group: 'Run and monitor',
    summary: 'start, stop or inspect the process that serves all clients',
    usage: 'portolan daemon start|stop|status|logs [--json] [--http HOST:PORT] [--force] [--mcp-bridge-socket PATH]',
    options: OPTIONS,
    words: WORDS,
    examples: [
      { line: 'portolan daemon status', does: 'show whether the daemon runs, and its addresses' },
      { line: 'portolan daemon start --http 127.0.0.1:7420', does: 'start the daemon, also for HTTP clients' },
      { line: 'portolan daemon stop', does: 'stop the daemon after calls in progress have finished' },
      { line: 'portolan daemon stop --force', does: 'also kill the daemon and its servers if it does not respond' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS, { mostWords: 1 });
      const [word] = needed(this, positionals, ['word: start, stop, status or logs']);
      const location = await daemonLocation(machine, values['mcp-bridge-socket']);
      const { home, env } = hostOf(machine);
      switch (word) {
        case 'start': {
          const program = process.argv[1] ?? '';
          const more = values.http === undefined ? [] : [`--http=${values.http}`];
          const before = await statusOf(location);
          if (before.isHung) return say(before, values.json === true, io);
          if (!before.running && claimStart(location.socket))
            startDaemon({
              program,
              socket: location.socket,
              env,
              home,
              args: more,
              passed: more.length > 0 ? [TOKEN, ...MANUAL_START_VARIABLES] : MANUAL_START_VARIABLES,
            });
          const read = () => statusOf(location);
          await eventually(read, ({ running, isHung }) => running && !isHung, WAIT_MS);
          const status = await eventually(read, (seen) => !seen.running || seen.announced !== false, ANNOUNCED_MS);
          const error = values.http === undefined ? undefined : await missed(status, values.http);
          return say(status, values.json === true, io, error);
        }
        case 'stop': {
          const before = await statusOf(location);
          const asked = before.isHung || !before.running ? before : await stopped(location, before);
          const status = asked.running && values.force === true ? await killed(location, asked, machine) : asked;
          const hasEnded = before.running && !status.running;
          if (hasEnded && values.json !== true) io.out(`The daemon, which ran as ${before.pid ?? '?'}, has ended.`);
          else say(status, values.json === true, io);
          return status.running ? EXIT.failed : EXIT.ok;
        }
        case 'status':
          return say(await statusOf(location), values.json === true, io);
        case 'logs':
          return logs(daemonLog(home, env), values.json === true, io);
        default:
          throw usageError(this, `has no "${word}"`, suggestion(word, WORDS));
      }
    },
  };
}

interface Status {
  readonly running: boolean;
  readonly pid?: number;
  readonly socket: string;
  readonly http?: string;
  /** The daemon is in the registry; one of an older version does not report this. */
  readonly announced?: boolean;
  /** The daemon does not respond. */
  readonly isHung?: true;
}

async function statusOf({ socket }: DaemonLocation): Promise<Status> {
  const told = await askDaemon(socket, 'bridge/status').catch(hung);
  if (told instanceof DaemonSilent) return silent(socket, recordedDaemon(socket)?.pid);
  if (!isObject(told)) return { running: false, socket };
  const { pid, http, announced: isAnnounced } = told;
  return {
    running: true,
    ...(typeof pid === 'number' && { pid }),
    socket,
    ...(typeof http === 'string' && { http }),
    ...(typeof isAnnounced === 'boolean' && { announced: isAnnounced }),
  };
}

function hung(error: unknown): DaemonSilent {
  if (error instanceof DaemonSilent) return error;
  throw error;
}

function silent(socket: string, pid: number | undefined): Status {
  return { running: true, ...(pid !== undefined && { pid }), socket, isHung: true };
}

/** Kills a daemon that did not stop. Its identity is checked, because its pid may belong to another process by now. */
async function killed(location: DaemonLocation, before: Status, machine: DiscoverOptions): Promise<Status> {
  const found = recordedDaemon(location.socket) ?? (before.pid === undefined ? undefined : identityOf(before.pid));
  if (!found)
    throw new PortolanError(
      ErrorCode.ConnectionError,
      'the process id of the daemon is unknown, so it was not killed',
      {
        hint: `find the process that listens on ${location.socket} with the tools of your system, and end it`,
      },
    );
  return (await killDaemon(found, hostOf(machine))) ? { running: false, socket: location.socket } : before;
}

/**
 * Waits for the process to exit: after closing its socket, the daemon still stops its servers and writes their logs.
 */
async function stopped(location: DaemonLocation, before: Status): Promise<Status> {
  const identity = before.pid === undefined ? undefined : identityOf(before.pid);
  const told = await askDaemon(location.socket, 'bridge/stop').catch(hung);
  if (told instanceof DaemonSilent) return silent(location.socket, before.pid);
  const status = await eventually(
    () => statusOf(location),
    ({ running }) => !running,
    WAIT_MS,
  );
  const isLeft = await eventually(
    () => identity !== undefined && isAlive(identity),
    (alive) => !alive,
    WAIT_MS,
  );
  return isLeft ? silent(location.socket, before.pid) : status;
}

/** Polls until the condition holds or the time limit has passed; returns the last value. */
async function eventually<Seen>(
  read: () => Seen | Promise<Seen>,
  isWanted: (seen: Seen) => boolean,
  limitMs: number,
): Promise<Seen> {
  const ends = performance.now() + limitMs;
  for (;;) {
    const seen = await read();
    if (isWanted(seen) || performance.now() > ends) return seen;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Why `--http` has no effect: a daemon that already runs does not open another port. */
async function missed({ running, pid, http }: Status, wanted: string): Promise<string | undefined> {
  if (!running || (http !== undefined && (await listensAt(http, wanted)))) return undefined;
  const instead = http === undefined ? 'without HTTP' : `with HTTP on ${http}`;
  const same = http === undefined ? '--http' : `--http ${wanted}`;
  return `The daemon runs as ${pid ?? '?'} ${instead}: portolan daemon stop, then start it again with ${same}.`;
}

function say(status: Status, isJson: boolean, io: Io, error?: string): number {
  const { isHung, ...facts } = status;
  const { running, pid, socket, http } = facts;
  const where = `${shortPath(socket, io.home)}${http === undefined ? '' : ` and ${http}`}`;
  const failure = isHung ? hungText(status) : error;
  if (isJson)
    io.out(
      JSON.stringify({ ...facts, ...(isHung && { responding: false }), ...(failure && { error: failure }) }, null, 2),
    );
  else if (failure !== undefined) io.err(visible(failure));
  else io.out(running ? `The daemon runs as ${pid ?? '?'} and listens on ${visible(where)}.` : 'No daemon runs.');
  return running && failure === undefined ? EXIT.ok : EXIT.failed;
}

function hungText({ pid, socket }: Status): string {
  const name = pid === undefined ? '' : `, process ${pid},`;
  const command = `portolan daemon stop --force --mcp-bridge-socket ${shellWord(socket)}`;
  return `The daemon${name} does not respond. End it and its servers with: ${command}`;
}

function logs(path: string, isJson: boolean, io: Io): number {
  const reading = diskFiles.read(path);
  if (reading.kind !== 'read')
    throw new PortolanError(ErrorCode.ConnectionError, `there is no log in ${shortPath(path, io.home)}`, {
      hint: 'a daemon writes one when it starts: portolan daemon start',
    });
  const lines = reading.text.trimEnd().split('\n').slice(-LOG_LINES);
  if (isJson) io.out(JSON.stringify({ path, lines }, null, 2));
  else for (const line of lines) io.out(visible(line));
  return EXIT.ok;
}
