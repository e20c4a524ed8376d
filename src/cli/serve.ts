import type { ServeHttpOptions, ServeOptions } from '../app/index.js';
import { ErrorCode, PortolanError } from '../base/index.js';
import { CHART_OPTIONS, type Command, chartFlags, EXIT, flags, type Io } from './command.js';

/** The two ways to be reached. What belongs to the process is added by whoever has it. */
export interface Serve {
  /** Over stdin and stdout, until the client leaves. */
  readonly stdio: (options: Omit<ServeOptions, 'input' | 'output' | 'ending'>) => Promise<void>;
  /** On a port, until we are told to end. */
  readonly http: (options: Omit<ServeHttpOptions, 'ending'>) => Promise<void>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Serves the client at the other end of stdin and stdout until it leaves, or whoever comes to a port. */
export function serveCommand({ stdio, http, environment }: Serve): Command {
  return {
    name: 'serve',
    summary: 'serve an MCP client over stdin and stdout, which is what a client starts; or many over HTTP',
    usage:
      'portolan serve [--http [HOST:PORT]] [--token SECRET] [--expose all|SERVER] [--config FILE|FOLDER] [--client ID,…] [--server name=…]',
    async run(args, io) {
      const { config, client, server } = CHART_OPTIONS;
      const text = { type: 'string' } as const;
      const options = { config, client, server, expose: text, http: text, token: text };
      const { values } = flags(this, withAddress(args), options, { mostWords: 0 });
      const { expose, http: address, token = environment.PORTOLAN_TOKEN } = values;
      const common = { ...chartFlags(values), ...(expose !== undefined && { expose }) };
      if (address !== undefined)
        return overHttp(http, { ...common, address, ...(token !== undefined && { token }) }, io);
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

/** `--http` may stand alone: what follows is its address only if it is no flag. */
function withAddress(args: readonly string[]): string[] {
  return args.map((arg, place) => {
    const next = args[place + 1];
    return arg === '--http' && (next === undefined || next.startsWith('-')) ? '--http=' : arg;
  });
}

async function overHttp(
  serve: Serve['http'],
  options: Omit<ServeHttpOptions, 'ending' | 'listening'>,
  io: Io,
): Promise<number> {
  try {
    await serve({ ...options, listening: (url) => io.err(`portolan listens on ${url}`) });
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof PortolanError) || error.code !== ErrorCode.ConnectionError) throw error;
    // Nothing is wrong with the command line: the port is not to be had now.
    io.err(`${error.code}: ${error.message}\n  ${error.hint ?? ''}`.trimEnd());
    return EXIT.failed;
  }
}
