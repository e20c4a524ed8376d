import { isAbsolute, join } from 'node:path';
import { daemonSocketPath, homeFolder, type Log, PortolanError } from '../base/index.js';
import { type BridgeSettings, type DaemonMode, quickSettings, runPipe } from '../bridge/index.js';
import { type PipeFlags, pipeFlags } from './pipe-flags.js';
import { asyncStdout, keepStartupHeapSmall, signalOnShutdown, stderrLog } from './runtime/process-setup.js';
import { sandboxChoice } from './runtime/sandbox-choice.js';

declare const PORTOLAN_VERSION: string;

const MODES: readonly DaemonMode[] = ['auto', 'require', 'never'];
const DEFAULT_MODE: DaemonMode = 'auto';

/** Connects a client to the daemon. False if that is not requested or not possible: then the full program runs. */
export async function pipe(args: readonly string[]): Promise<boolean> {
  const [first] = args;
  const isBare = first === undefined || first.startsWith('-');
  if (!isBare && first !== 'serve') return false;
  if (isBare && isTerminal(0)) return false;
  const flags = pipeFlags(isBare ? args : args.slice(1));
  // The full program reports an unknown engine.
  if (flags?.sandbox !== undefined && !sandboxChoice(flags.sandbox)) return false;
  const mode = flags && modeOf(flags.daemon ?? process.env.PORTOLAN_DAEMON);
  const program = process.argv[1];
  if (!mode || mode === 'never' || program === undefined) return false;
  const { env } = process;
  const home = homeFolder();
  const settings = quickSettings(home, env) ?? (await slowSettings());
  if (!settings.autoConnect && flags.daemon === undefined) return false;
  const log = stderrLog();
  const socket = placeOf(flags, settings, home, log);
  if (socket === undefined) {
    if (mode === 'require') process.exitCode = 1;
    return mode === 'require';
  }
  const id = flags['mcp-client-id'] ?? env.MCP_CLIENT_ID ?? settings.clientId;
  const ending = signalOnShutdown();
  const options = scanOptions(flags);
  return runPipe({
    ...{ program, socket, env, home, mode, log, ending },
    ...{ reconnect: settings.reconnect, shutdownMs: settings.shutdownMs },
    context: {
      ...{ home, cwd: process.cwd(), env, pid: process.pid, version: PORTOLAN_VERSION, options },
      ...(id !== undefined && { id }),
    },
    meanwhile: () => void process.stdin, // loads the stream modules while the socket connects
    failed: () => {
      process.exitCode = 1;
    },
    openStreams: () => ({ input: process.stdin, output: asyncStdout() }),
    ...(mode === 'auto' && {
      openOwnGateway: async (lostState) => {
        keepStartupHeapSmall();
        const { serveAlone } = await import('./serve-alone.js');
        return serveAlone({ self: program, ...options, version: PORTOLAN_VERSION, ending, log, lostState });
      },
    }),
  });
}

/** Loads `node:tty` only for a character device. */
function isTerminal(descriptor: number): boolean {
  try {
    if (!process.getBuiltinModule('node:fs').fstatSync(descriptor).isCharacterDevice()) return false;
  } catch {
    return false; // the descriptor is closed
  }
  return process.getBuiltinModule('node:tty').isatty(descriptor);
}

function modeOf(value: string | undefined): DaemonMode | undefined {
  return value ? MODES.find((known) => known === value) : DEFAULT_MODE;
}

function placeOf(flags: PipeFlags, { socketPath }: BridgeSettings, home: string, log: Log): string | undefined {
  try {
    return daemonSocketPath({ flag: flags['mcp-bridge-socket'], env: process.env, home, setting: socketPath });
  } catch (error) {
    if (!(error instanceof PortolanError)) throw error;
    log('warn', 'no daemon serves this client', { error: error.message });
    return undefined;
  }
}

async function slowSettings(): Promise<BridgeSettings> {
  const slow = await import('./daemon-settings.js');
  return slow.slowSettings();
}

/** The options that change which servers this client gets. */
function scanOptions({ expose, sandbox, config, client }: PipeFlags) {
  const engine = sandboxChoice(sandbox);
  const isWhole = config === undefined || isAbsolute(config) || config.startsWith('~');
  return {
    ...(expose !== undefined && { expose }),
    ...(engine && { settings: { sandbox: { engine } } }),
    ...(config !== undefined && { config: isWhole ? config : join(process.cwd(), config) }),
    ...(client !== undefined && { clients: client.split(',').map((one) => one.trim()) }),
  };
}
