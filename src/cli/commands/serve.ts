import { type DaemonOptions, daemonLocation, type ServeHttpOptions, type ServeOptions } from '../../app/index.js';
import { ErrorCode, jsonLog, PortolanError } from '../../base/index.js';
import {
  type Command,
  DAEMON_MODES,
  EXIT,
  flags,
  gatewayFlags,
  type Io,
  SCAN_OPTIONS,
  SOCKET_OPTION,
  scanFlags,
  usageError,
} from '../runtime/command.js';
import { SANDBOX_CHOICES, sandboxChoice } from '../runtime/sandbox-choice.js';

/** The ways to serve; `program.ts` adds the options that depend on the process. */
export interface Serve {
  /** Over stdin and stdout, until the client disconnects. */
  readonly stdio: (options: Omit<ServeOptions, 'input' | 'output' | 'ending'>) => Promise<void>;
  /** On a port, until a shutdown signal. */
  readonly http: (options: Omit<ServeHttpOptions, 'ending'>) => Promise<void>;
  /** On a socket for every client of this user, until a shutdown signal. */
  readonly socket: (options: Omit<DaemonOptions, 'ending'>) => Promise<void>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const { config, client, server } = SCAN_OPTIONS;
const OPTIONS = {
  daemon: { type: 'string', value: DAEMON_MODES, about: 'whether to serve through the shared gateway' },
  http: { type: 'string', value: '[HOST:PORT]', about: 'serve over HTTP (default: 127.0.0.1:7420)' },
  token: { type: 'string', value: 'SECRET', about: 'bearer token for HTTP clients; prefer PORTOLAN_TOKEN' },
  socket: { type: 'string', value: '[PATH]', about: 'serve every client of this user over a Unix socket' },
  expose: { type: 'string', value: 'all|SERVER', about: "offer the servers' own tools instead of the meta-tools" },
  sandbox: { type: 'string', value: SANDBOX_CHOICES, about: 'the sandbox of run_python' },
  ...{ config, client, server, ...SOCKET_OPTION },
  'mcp-client-id': { type: 'string', value: 'ID', about: 'the name of this client in portolan clients' },
  'leave-when-idle': { type: 'boolean', isHidden: true },
} as const;

/** Serves one client over stdio until it disconnects, or many over HTTP or a socket. */
export function serveCommand({ stdio, http, socket, environment }: Serve): Command {
  return {
    name: 'serve',
    group: 'Run and monitor',
    summary: 'serve MCP over stdio, HTTP or a Unix socket',
    usage:
      'portolan serve [--daemon auto|require|never] [--socket [PATH]] [--http [HOST:PORT]] [--token SECRET] [--mcp-bridge-socket PATH] [--mcp-client-id ID] [--expose all|SERVER] [--sandbox ENGINE] [--config FILE|DIR] [--client ID,…] [--server name=…]',
    options: OPTIONS,
    examples: [
      { line: 'portolan serve', does: 'serve the client that starts this command' },
      { line: 'portolan serve --http 127.0.0.1:7420', does: 'serve HTTP clients at /mcp' },
      { line: 'portolan serve --expose github', does: 'offer one server with the original names of its tools' },
    ],
    async run(args, io) {
      const { values } = flags(this, withAddress(args), OPTIONS, { mostWords: 0 });
      const { expose, http: address, socket: path, token = environment.PORTOLAN_TOKEN } = values;
      gatewayFlags(this, values, environment); // rejects an unknown mode
      const engine = sandboxChoice(values.sandbox);
      if (values.sandbox !== undefined && !engine)
        throw usageError(this, `needs one of ${SANDBOX_CHOICES.join(', ')} after --sandbox`);
      const settings = engine && { settings: { sandbox: { engine } } };
      if (path !== undefined) {
        const location = await daemonLocation({}, path || values['mcp-bridge-socket']);
        const how = {
          ...settings,
          socket: location.socket,
          leavesWhenIdle: values['leave-when-idle'] === true,
          ...(address !== undefined && { http: address, ...(token !== undefined && { token }) }),
        };
        return listened(
          (listening) => socket({ ...how, listening: (where) => listening(where.join(' and ')) }),
          how.leavesWhenIdle ? logInto(io) : sayTo(io),
        );
      }
      const common = { ...scanFlags(values), ...settings, ...(expose !== undefined && { expose }) };
      if (address !== undefined)
        return listened(
          (listening) => http({ ...common, address, ...(token !== undefined && { token }), listening }),
          sayTo(io),
        );
      if (values.token !== undefined) {
        throw usageError(this, 'takes --token only with --http: it protects the HTTP port');
      }
      await stdio(common);
      return EXIT.ok;
    },
  };
}

/** The values of `--http` and `--socket` are optional: the next argument is one unless it is a flag. */
function withAddress(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const next = args[index + 1];
    const isAlone = next === undefined || next.startsWith('-');
    return (arg === '--http' || arg === '--socket') && isAlone ? `${arg}=` : arg;
  });
}

type Say = (level: 'info' | 'error', message: string) => void;

function sayTo(io: Io): Say {
  return (_level, message) => io.err(message);
}

/** A daemon that a client started writes to a log that several daemons share, so each line has its PID. */
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
    // The command line is valid, so this is not a usage error: the address is in use or not available.
    say('error', `${error.code}: ${error.message}\n  ${error.hint ?? ''}`.trimEnd());
    return EXIT.failed;
  }
}
