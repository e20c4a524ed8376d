import { isAbsolute, join } from 'node:path';
import { ErrorCode, isObject, PortolanError, silentLog } from '../base/index.js';
import { type DaemonMode, type DaemonRequests, openDaemonRequests } from '../bridge/index.js';
import { hostOf } from '../discovery/index.js';
import type { CommandMethod } from './command-params.js';
import { type CommandAnswer, type CommandGateway, errorFrom } from './command-requests.js';
import { daemonLocation } from './daemon-location.js';
import type { GatewayOptions } from './start-gateway.js';

/** The gateway that a command asked for. */
export interface CommandOptions extends GatewayOptions {
  /** Without one, the setting `mcpBridge.autoConnect` decides between `auto` and `never`. */
  readonly daemon?: DaemonMode;
  /** The socket of the daemon, instead of the default. */
  readonly socket?: string;
  /** Aborted when the command is to end. */
  readonly ending?: AbortSignal;
}

/** Errors that a gateway in this process would report as well. */
const ABOUT_SETTINGS: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.SettingsInvalid,
  ErrorCode.ConfigNotFound,
  ErrorCode.UnknownClient,
]);

/** The gateway of the daemon, which is started if necessary; otherwise a gateway in this process. */
export async function openForCommand(given: CommandOptions): Promise<CommandGateway> {
  const { daemon, socket, ending, ...options } = given;
  const { log = silentLog, self } = options;
  if (daemon !== 'never' && self !== undefined) {
    try {
      const requests = await requestsTo(given, self);
      if (requests) return daemonGateway(requests);
    } catch (error) {
      ending?.throwIfAborted();
      if (daemon === 'require' || !(error instanceof PortolanError) || ABOUT_SETTINGS.has(error.code)) throw error;
      log('warn', 'no daemon serves this command, so it starts its own servers', { error: error.message });
    }
  }
  const { openOwnGateway } = await import('./answer-command.js');
  return openOwnGateway(options);
}

async function requestsTo(given: CommandOptions, program: string): Promise<DaemonRequests | undefined> {
  const { daemon: mode = 'auto', log = silentLog, version = '0', ending } = given;
  const { home, env, cwd } = hostOf(given);
  const { socket, settings } = await daemonLocation(given, given.socket);
  if (mode === 'never' || (!settings.autoConnect && given.daemon === undefined)) return undefined;
  const requests = await openDaemonRequests({
    ...{ program, socket, env, home, mode, log },
    ...(ending && { ending }),
    context: { home, cwd, env, pid: process.pid, version, options: scanOptions(given, cwd) },
  });
  if (requests || mode === 'auto') return requests;
  throw new PortolanError(ErrorCode.ConnectionError, 'the daemon is of another version than this command', {
    hint: 'end it with `portolan daemon stop`, and run the command again',
  });
}

/** The options that change which servers there are. The daemon has another working directory. */
function scanOptions({ config, clients, servers, settings }: CommandOptions, cwd: string): Record<string, unknown> {
  const isWhole = config === undefined || isAbsolute(config) || config.startsWith('~');
  return {
    ...(config !== undefined && { config: isWhole ? config : join(cwd, config) }),
    ...(clients && { clients }),
    ...(servers && { servers }),
    ...(settings && { settings }),
  };
}

function daemonGateway(requests: DaemonRequests): CommandGateway {
  return {
    ask: async (method, params, { signal, progress }) => {
      const result = await requests.request(method, params, { signal, progress });
      const { error, answer } = isObject(result) ? result : {};
      if (error !== undefined) throw errorFrom(error);
      if (isAnswerOf(method, answer)) return answer;
      throw new PortolanError(ErrorCode.ConnectionError, `the daemon did not answer ${method}`, {
        hint: 'see its log with `portolan daemon logs`',
      });
    },
    [Symbol.asyncDispose]: async () => requests[Symbol.dispose](),
  };
}

/** The daemon has the same version as this program, so its answers have the same types. */
function isAnswerOf<M extends CommandMethod>(_method: M, value: unknown): value is CommandAnswer<M> {
  return isObject(value);
}
