import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { parseArgs } from 'node:util';
import { PortolanError, socketPlace } from '../base/index.js';
import { type BridgeSettings, type DaemonMode, quickSettings, runPipe } from '../bridge/index.js';
import { asyncStdout, stderrLog, untilSignal } from './own-process.js';

const MODES: readonly DaemonMode[] = ['auto', 'require', 'never'];
/** What is done where nobody says anything. */
const USUAL: DaemonMode = 'never';

const TEXT = { type: 'string' } as const;
/** All that may stand on the command line of a client that a daemon can serve; anything else is for the program itself. */
const OPTIONS = {
  ...{ daemon: TEXT, 'mcp-bridge-socket': TEXT, 'mcp-client-id': TEXT, expose: TEXT, config: TEXT, client: TEXT },
} as const;

/** Serves a client by way of the daemon. Undefined where that is not wanted or not possible: the program does it. */
export async function pipe(args: readonly string[]): Promise<number | undefined> {
  const [first] = args;
  const isBare = first === undefined || first.startsWith('-');
  if (!isBare && first !== 'serve') return undefined;
  if (isBare && process.stdin.isTTY) return undefined;
  const flags = flagsOf(isBare ? args : args.slice(1));
  const mode = flags && modeOf(flags.daemon ?? process.env.PORTOLAN_DAEMON);
  if (!mode || mode === 'never') return undefined;
  const { env } = process;
  const home = homedir();
  const settings = quickSettings(home, env) ?? (await slowSettings());
  if (!settings.autoConnect && flags.daemon === undefined) return undefined;
  const program = process.argv[1];
  if (program === undefined) return undefined;
  const log = stderrLog();
  let socket: string;
  try {
    socket = socketPlace({ flag: flags['mcp-bridge-socket'], env, home, setting: settings.socketPath });
  } catch (error) {
    if (!(error instanceof PortolanError)) throw error;
    log('warn', 'no daemon serves this client', { error: error.message });
    return mode === 'require' ? 1 : undefined;
  }
  const id = flags['mcp-client-id'] ?? env.MCP_CLIENT_ID ?? settings.clientId;
  const isWell = await runPipe({
    ...{ program, socket, env, home, mode, log, reconnect: settings.reconnect },
    context: {
      ...{ home, cwd: process.cwd(), env, pid: process.pid, options: chartOptions(flags) },
      ...(id !== undefined && { id }),
    },
    input: process.stdin,
    output: asyncStdout(),
    ending: untilSignal(),
  });
  if (isWell === undefined) return mode === 'require' ? 1 : undefined;
  return isWell ? 0 : 1;
}

type Flags = { readonly [K in keyof typeof OPTIONS]?: string };

function flagsOf(args: readonly string[]): Flags | undefined {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch {
    return undefined;
  }
}

function modeOf(said: string | undefined): DaemonMode | undefined {
  return said ? MODES.find((known) => known === said) : USUAL;
}

async function slowSettings(): Promise<BridgeSettings> {
  const { daemonPlace } = await import('../app/index.js');
  return (await daemonPlace({})).settings;
}

/** What the chart of this client depends on beside where it works. */
function chartOptions({ expose, config, client }: Flags): Record<string, unknown> {
  const isWhole = config === undefined || isAbsolute(config) || config.startsWith('~');
  return {
    ...(expose !== undefined && { expose }),
    ...(config !== undefined && { config: isWhole ? config : join(process.cwd(), config) }),
    ...(client !== undefined && { clients: client.split(',').map((one) => one.trim()) }),
  };
}
