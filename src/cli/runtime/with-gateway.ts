import type { CommandGateway, CommandOptions } from '../../app/index.js';
import { ErrorCode, PortolanError } from '../../base/index.js';
import type { Io } from './command.js';
import { unknownServer } from './no-servers.js';
import { withTerminalHint } from './terminal-hints.js';
import { visible } from './terminal-text.js';
import { Warnings } from './warnings.js';

export type OpenForCommand = (options: CommandOptions) => Promise<CommandGateway>;

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const MAX_STATUS_CHARACTERS = 200;
const LINE_MS = 5_000;
/** The report of a server that is starting, which contains the duration. */
const START_REPORT = /\b(?:installing|starting) .+, \d+ s$/;

/** What an action can use while it runs. */
export interface ActionContext {
  /** Shows progress on a terminal. */
  readonly say: (message: string) => void;
  /** Aborted by a shutdown signal: the action stops waiting, and the gateway is closed. */
  readonly signal: AbortSignal;
}

/** Runs an action with a gateway. A terminal shows a spinner with the elapsed time. */
export async function withGateway<T>(
  open: OpenForCommand,
  options: CommandOptions,
  io: Io,
  doing: string,
  act: (gateway: CommandGateway, context: ActionContext) => Promise<T>,
): Promise<T> {
  const warnings = new Warnings();
  try {
    return await runWithSpinner(open, { ...options, log: warnings.log }, io, doing, act);
  } finally {
    // After closing the gateway, which may still write files.
    for (const line of warnings.lines()) io.err(line);
  }
}

async function runWithSpinner<T>(
  open: OpenForCommand,
  options: CommandOptions,
  io: Io,
  doing: string,
  act: (gateway: CommandGateway, context: ActionContext) => Promise<T>,
): Promise<T> {
  using ending = io.ending?.();
  const { signal } = ending ?? new AbortController();
  await using gateway = await open({ ...options, ending: signal });
  let progressText = doing;
  const stop = spin(() => progressText, io);
  try {
    signal.throwIfAborted();
    const say = (message: string) => {
      progressText = message;
    };
    return await act(gateway, { say, signal });
  } catch (error) {
    // After a shutdown signal, report the signal instead of the error that it caused.
    if (error instanceof PortolanError) signal.throwIfAborted();
    const isUnknown = error instanceof PortolanError && error.code === ErrorCode.ServerNotFound;
    const isEmpty = isUnknown && (await gateway.ask('command/servers', {}, { signal })).count === 0;
    throw isEmpty ? unknownServer('', { servers: [] }, options) : withTerminalHint(error);
  } finally {
    stop();
  }
}

/**
 * Shows a spinner with the elapsed time until the returned function is called; without a terminal, a line about a slow
 * start every few seconds.
 */
export function spin(text: () => string, { status, err }: Io): () => void {
  if (!status) return lines(text, err);
  const started = performance.now();
  let frame = 0;
  const timer = setInterval(() => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    // The text may come from a server, so control characters are escaped.
    const progressText = visible(text()).slice(0, MAX_STATUS_CHARACTERS);
    const elapsed = START_REPORT.test(progressText) ? '' : ` ${seconds} s`;
    status(`${FRAMES[frame++ % FRAMES.length]} ${progressText}${elapsed}`);
  }, FRAME_MS);
  return () => {
    clearInterval(timer);
    status(undefined);
  };
}

/** Only about a start, which takes unusually long: other output of a script stays as it is. */
function lines(text: () => string, err: Io['err']): () => void {
  let last = '';
  const timer = setInterval(() => {
    const now = visible(text()).slice(0, MAX_STATUS_CHARACTERS);
    if (now === last || !START_REPORT.test(now)) return;
    last = now;
    err(now);
  }, LINE_MS);
  return () => clearInterval(timer);
}
