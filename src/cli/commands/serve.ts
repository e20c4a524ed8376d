import { type DaemonOptions, daemonPlace, type ServeHttpOptions, type ServeOptions } from '../../app/index.js';
import { ErrorCode, jsonLog, PortolanError } from '../../base/index.js';
import { CHART_OPTIONS, type Command, chartFlags, EXIT, flags, type Io, SOCKET_OPTION } from '../runtime/command.js';
import { SANDBOX_CHOICES, sandboxChoice } from '../runtime/sandbox-choice.js';

/** The two ways to be reached. What belongs to the process is added by whoever has it. */
export interface Serve {
  /** Over stdin and stdout, until the client leaves. */
  readonly stdio: (options: Omit<ServeOptions, 'input' | 'output' | 'ending'>) => Promise<void>;
  /** On a port, until we are told to end. */
  readonly http: (options: Omit<ServeHttpOptions, 'ending'>) => Promise<void>;
  /** On a socket for every client of this user, until we are told to end. */
  readonly socket: (options: Omit<DaemonOptions, 'ending'>) => Promise<void>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const MODES: readonly string[] = ['auto', 'require', 'never'];
const { config, client, server } = CHART_OPTIONS;
const OPTIONS = {
  daemon: { type: 'string', value: MODES, about: 'whether one gateway serves every client of this user' },
  http: { type: 'string', value: '[HOST:PORT]', about: 'serve over HTTP; 127.0.0.1:7420 unless said otherwise' },
  token: { type: 'string', value: 'SECRET', about: 'what clients over HTTP have to show; better in PORTOLAN_TOKEN' },
  socket: { type: 'string', value: '[PATH]', about: 'serve every client of this user over a socket' },
  expose: { type: 'string', value: 'all|SERVER', about: "servers' own tools instead of the meta-tools" },
  sandbox: { type: 'string', value: SANDBOX_CHOICES, about: 'what run_python runs programs in' },
  ...{ config, client, server, ...SOCKET_OPTION },
  'mcp-client-id': { type: 'string', value: 'ID', about: 'the name of this client among those of the daemon' },
  'leave-when-idle': { type: 'boolean', isHidden: true },
} as const;

/** Serves the client at the other end of stdin and stdout until it leaves, or whoever comes to a port. */
export function serveCommand({ stdio, http, socket, environment }: Serve): Command {
  return {
    name: 'serve',
    group: 'Run and monitor',
    summary: 'serve MCP over stdio, HTTP or a Unix socket',
    usage:
      'portolan serve [--daemon auto|require|never] [--socket [PATH]] [--http [HOST:PORT]] [--token SECRET] [--mcp-bridge-socket PATH] [--mcp-client-id ID] [--expose all|SERVER] [--sandbox ENGINE] [--config FILE|FOLDER] [--client ID,…] [--server name=…]',
    options: OPTIONS,
    examples: [
      { line: 'portolan serve', does: 'what a client starts' },
      { line: 'portolan serve --http 127.0.0.1:7420', does: 'for clients that speak HTTP, on /mcp' },
      { line: 'portolan serve --expose github', does: 'one server, complete and under its own names' },
    ],
    async run(args, io) {
      const { values } = flags(this, withAddress(args), OPTIONS, { mostWords: 0 });
      const { expose, http: address, daemon, socket: path, token = environment.PORTOLAN_TOKEN } = values;
      const mode = daemon ?? environment.PORTOLAN_DAEMON;
      if (mode && !MODES.includes(mode))
        throw new PortolanError(ErrorCode.Usage, `--daemon ${mode} is none of ${MODES.join(', ')}`, {
          hint: `usage: ${this.usage}`,
        });
      const engine = sandboxChoice(values.sandbox);
      if (values.sandbox !== undefined && !engine)
        throw new PortolanError(ErrorCode.Usage, `--sandbox is one of ${SANDBOX_CHOICES.join(', ')}`, {
          hint: `usage: ${this.usage}`,
        });
      const settings = engine && { settings: { sandbox: { engine } } };
      if (path !== undefined) {
        const place = await daemonPlace({}, path || values['mcp-bridge-socket']);
        const how = {
          ...settings,
          socket: place.socket,
          leavesWhenIdle: values['leave-when-idle'] === true,
          ...(address !== undefined && { http: address, ...(token !== undefined && { token }) }),
        };
        return listened(
          (listening) => socket({ ...how, listening: (where) => listening(where.join(' and ')) }),
          how.leavesWhenIdle ? logInto(io) : sayTo(io),
        );
      }
      const common = { ...chartFlags(values), ...settings, ...(expose !== undefined && { expose }) };
      if (address !== undefined)
        return listened(
          (listening) => http({ ...common, address, ...(token !== undefined && { token }), listening }),
          sayTo(io),
        );
      if (values.token !== undefined) {
        throw new PortolanError(ErrorCode.Usage, '--token protects a port, and none is opened', {
          hint: 'add --http, or leave --token out',
        });
      }
      await stdio(common);
      return EXIT.ok;
    },
  };
}

/** `--http` and `--socket` may stand alone: what follows is an address only if it is no flag. */
function withAddress(args: readonly string[]): string[] {
  return args.map((arg, place) => {
    const next = args[place + 1];
    const isAlone = next === undefined || next.startsWith('-');
    return (arg === '--http' || arg === '--socket') && isAlone ? `${arg}=` : arg;
  });
}

type Say = (level: 'info' | 'error', message: string) => void;

function sayTo(io: Io): Say {
  return (_level, message) => io.err(message);
}

/** What nobody started by hand writes into a log, where many daemons follow each other. */
function logInto(io: Io): Say {
  const log = jsonLog((line) => io.err(line.trimEnd()), 'info');
  return (level, message) => log(level, message, { pid: process.pid });
}

async function listened(serve: (listening: (where: string) => void) => Promise<void>, say: Say): Promise<number> {
  try {
    await serve((where) => say('info', `portolan listens on ${where}`));
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof PortolanError) || error.code !== ErrorCode.ConnectionError) throw error;
    // Nothing is wrong with the command line: the place is not to be had now.
    say('error', `${error.code}: ${error.message}\n  ${error.hint ?? ''}`.trimEnd());
    return EXIT.failed;
  }
}
