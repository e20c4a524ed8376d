import { type DaemonPlace, type DiscoverOptions, daemonPlace, hostOf } from '../app/index.js';
import { diskFiles, ErrorCode, isObject, PortolanError } from '../base/index.js';
import { askDaemon, claimStart, daemonLog, startDaemon } from '../bridge/index.js';
import { type Command, EXIT, flags, type Io, JSON_OPTIONS, needed, SOCKET_OPTION } from './command.js';
import { shortPath, visible } from './text.js';

const OPTIONS = {
  ...JSON_OPTIONS,
  ...SOCKET_OPTION,
  http: { type: 'string', value: 'HOST:PORT', about: 'with start: serve clients over HTTP too' },
} as const;
/** A daemon that has not come or gone by then does not. */
const WAIT_MS = 15_000;
const LOOK_MS = 25;
/** What clients over HTTP have to show. */
const TOKEN = 'PORTOLAN_TOKEN';
const LOG_LINES = 100;

/** Starts, stops and shows the one daemon of this user. */
export function daemonCommand(machine: DiscoverOptions = {}): Command {
  return {
    name: 'daemon',
    summary: 'start or stop the gateway that serves every client, or show whether it runs and what it wrote',
    usage: 'portolan daemon start|stop|status|logs [--json] [--http HOST:PORT] [--mcp-bridge-socket PATH]',
    options: OPTIONS,
    words: ['start', 'stop', 'status', 'logs'],
    examples: [
      { line: 'portolan daemon status', does: 'whether it runs, and where it listens' },
      { line: 'portolan daemon start --http 127.0.0.1:7420', does: 'also for clients that speak HTTP' },
      { line: 'portolan daemon stop', does: 'calls that are under way are finished first' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS, { mostWords: 1 });
      const [word] = needed(this, positionals, ['word: start, stop, status or logs']);
      const place = await daemonPlace(machine, values['mcp-bridge-socket']);
      const { home, env } = hostOf(machine);
      switch (word) {
        case 'start': {
          const program = process.argv[1] ?? '';
          const more = values.http === undefined ? [] : [`--http=${values.http}`];
          if (!(await statusOf(place)).running && claimStart(place.socket))
            startDaemon({
              program,
              socket: place.socket,
              env,
              home,
              args: more,
              passed: more.length > 0 ? [TOKEN] : [],
            });
          return say(await until(place, true), values.json === true, io);
        }
        case 'stop': {
          const before = await statusOf(place);
          if (before.running) await askDaemon(place.socket, 'bridge/stop');
          const status = before.running ? await until(place, false) : before;
          const hasEnded = before.running && !status.running;
          if (hasEnded && values.json !== true) io.out(`The daemon, which ran as ${before.pid ?? '?'}, has ended.`);
          else say(status, values.json === true, io);
          return status.running ? EXIT.failed : EXIT.ok;
        }
        case 'status':
          return say(await statusOf(place), values.json === true, io);
        case 'logs':
          return logs(daemonLog(home, env), io);
        default:
          throw new PortolanError(ErrorCode.Usage, `daemon has no ${word}`, { hint: `usage: ${this.usage}` });
      }
    },
  };
}

interface Status {
  readonly running: boolean;
  readonly pid?: number;
  readonly socket: string;
  readonly http?: string;
}

async function statusOf({ socket }: DaemonPlace): Promise<Status> {
  const told = await askDaemon(socket, 'bridge/status');
  if (!isObject(told)) return { running: false, socket };
  const { pid, http } = told;
  return {
    running: true,
    ...(typeof pid === 'number' && { pid }),
    socket,
    ...(typeof http === 'string' && { http }),
  };
}

async function until(place: DaemonPlace, isRunning: boolean): Promise<Status> {
  const ends = performance.now() + WAIT_MS;
  for (;;) {
    const status = await statusOf(place);
    if (status.running === isRunning || performance.now() > ends) return status;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function say(status: Status, isJson: boolean, io: Io): number {
  const { running, pid, socket, http } = status;
  const where = `${shortPath(socket, io.home)}${http === undefined ? '' : ` and ${http}`}`;
  if (isJson) io.out(JSON.stringify(status, null, 2));
  else io.out(running ? `The daemon runs as ${pid ?? '?'} and listens on ${visible(where)}.` : 'No daemon runs.');
  return running ? EXIT.ok : EXIT.failed;
}

function logs(path: string, io: Io): number {
  const reading = diskFiles.read(path);
  if (reading.kind !== 'read') {
    io.err(`No log in ${shortPath(path, io.home)}.`);
    return EXIT.failed;
  }
  for (const line of reading.text.trimEnd().split('\n').slice(-LOG_LINES)) io.out(visible(line));
  return EXIT.ok;
}
