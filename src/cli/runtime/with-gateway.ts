import type { GatewayOptions, RunningGateway } from '../../app/index.js';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { serverNamed } from '../../use-cases/index.js';
import type { Io } from './command.js';
import { unknownServer } from './no-servers.js';
import { withTerminalHint } from './terminal-hints.js';
import { visible } from './terminal-text.js';
import { Warnings } from './warnings.js';

export type OpenForCommand = (options: GatewayOptions) => Promise<RunningGateway>;

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const MAX_SAID_CHARACTERS = 200;

/** What an action can use while it runs. */
export interface ActionContext {
  /** Shows progress on a terminal. */
  readonly say: (message: string) => void;
  /** Aborted by a shutdown signal: the action stops waiting, and the gateway is closed. */
  readonly signal: AbortSignal;
}

/** The name of a server in the gateway, by any name that `portolan why` accepts; an unknown name is returned as it is. */
export function gatewayName(wanted: string, { discovery }: Pick<RunningGateway, 'discovery'>): string {
  return serverNamed(wanted, discovery)?.name ?? wanted;
}

/** Runs an action with a gateway. A terminal shows a spinner with the elapsed time. */
export async function withGateway<T>(
  open: OpenForCommand,
  options: GatewayOptions,
  io: Io,
  doing: string,
  act: (running: RunningGateway, context: ActionContext) => Promise<T>,
): Promise<T> {
  const warnings = new Warnings();
  try {
    return await acted(open, { ...options, log: warnings.log }, io, doing, act);
  } finally {
    // After closing the gateway, which may still write files.
    for (const line of warnings.lines()) io.err(line);
  }
}

async function acted<T>(
  open: OpenForCommand,
  options: GatewayOptions,
  io: Io,
  doing: string,
  act: (running: RunningGateway, context: ActionContext) => Promise<T>,
): Promise<T> {
  using ending = io.ending?.();
  const { signal } = ending ?? new AbortController();
  await using running = await open(options);
  let said = doing;
  const stop = spin(() => said, io);
  try {
    signal.throwIfAborted();
    const say = (message: string) => {
      said = message;
    };
    return await act(running, { say, signal });
  } catch (error) {
    // After a shutdown signal, report the signal instead of the error that it caused.
    if (error instanceof PortolanError) signal.throwIfAborted();
    const { discovery } = running;
    const isEmpty =
      error instanceof PortolanError && error.code === ErrorCode.ServerNotFound && discovery.servers.length === 0;
    throw isEmpty ? unknownServer('', discovery, options) : withTerminalHint(error);
  } finally {
    stop();
  }
}

/** Shows a spinner with the elapsed time until the returned function is called. */
export function spin(text: () => string, { status }: Io): () => void {
  if (!status) return () => undefined;
  const started = performance.now();
  let frame = 0;
  const timer = setInterval(() => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    // The text may come from a server, so control characters are escaped.
    const said = visible(text()).slice(0, MAX_SAID_CHARACTERS);
    status(`${FRAMES[frame++ % FRAMES.length]} ${said} ${seconds} s`);
  }, FRAME_MS);
  return () => {
    clearInterval(timer);
    status(undefined);
  };
}
