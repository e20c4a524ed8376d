import type { GatewayOptions, RunningGateway } from '../../app/index.js';
import { PortolanError } from '../../base/index.js';
import type { Io } from './command.js';
import { withTerminalHint } from './terminal-hints.js';
import { visible } from './terminal-text.js';
import { Warnings } from './warnings.js';

export type OpenForCommand = (options: GatewayOptions) => Promise<RunningGateway>;

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const MAX_SAID_CHARACTERS = 200;

/** What goes on around the act. */
export interface Around {
  /** Tells whoever watches what it is at. */
  readonly say: (message: string) => void;
  /** Aborted when the process is told to end: the act stops waiting, and the gateway is closed in order. */
  readonly signal: AbortSignal;
}

/** Does something with the gateway. Whoever watches sees that it goes on and for how long; a script sees nothing. */
export async function withGateway<T>(
  open: OpenForCommand,
  options: GatewayOptions,
  io: Io,
  doing: string,
  act: (running: RunningGateway, around: Around) => Promise<T>,
): Promise<T> {
  const warnings = new Warnings();
  try {
    return await acted(open, { ...options, log: warnings.log }, io, doing, act);
  } finally {
    // When it is closed: until then something may be written that cannot be.
    for (const line of warnings.lines()) io.err(line);
  }
}

async function acted<T>(
  open: OpenForCommand,
  options: GatewayOptions,
  io: Io,
  doing: string,
  act: (running: RunningGateway, around: Around) => Promise<T>,
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
    // Whatever it was doing failed by that: the signal is the reason.
    if (error instanceof PortolanError) signal.throwIfAborted();
    throw withTerminalHint(error);
  } finally {
    stop();
  }
}

/** Shows that something goes on and for how long, until the function it gives is called. */
export function spin(text: () => string, { status }: Io): () => void {
  if (!status) return () => undefined;
  const started = performance.now();
  let frame = 0;
  const timer = setInterval(() => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    // It may quote a server, whose words must not move the cursor.
    const said = visible(text()).slice(0, MAX_SAID_CHARACTERS);
    status(`${FRAMES[frame++ % FRAMES.length]} ${said} ${seconds} s`);
  }, FRAME_MS);
  return () => {
    clearInterval(timer);
    status(undefined);
  };
}
