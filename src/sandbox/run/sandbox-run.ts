import { ErrorCode, type Log, PortolanError } from '../../base/index.js';
import type { Id, Outgoing } from '../../rpc/index.js';
import type { Capability, GuestValue, Job, Limits, Outcome, Output, StopReason } from '../engine.js';
import type { Done, GuestMessage } from './guest-messages.js';
import { HostCalls } from './host-calls.js';
import { firstBytes, Printed, withMark } from './printed-output.js';

/** The output as the run knows it; the caller adds the engine and the session state. */
export type RunOutput = Omit<Output, 'engine' | 'guarantees' | 'stateLost'>;
type WithoutOutput<T> = T extends { readonly output: Output } ? Omit<T, 'output'> : never;
export type RunOutcome = WithoutOutput<Outcome> & { readonly output: RunOutput };

/** The guest program stays far below these two limits. */
const MAX_MESSAGES = 50_000;
const FORGED_OUTPUT_FACTOR = 4;
const FORGED_OUTPUT_BYTES = 1024 * 1024;
/** The guest program requests one timer at a time unless it can wait by itself. */
const MAX_TIMERS = 16;

const MESSAGES: Partial<Record<StopReason, (limits: Limits) => string>> = {
  timeoutMs: ({ timeoutMs }) => `stopped after ${timeoutMs / 1000} s`,
  outputBytes: ({ outputBytes }) => `stopped: the code printed far more than ${outputBytes} bytes`,
  hostCalls: ({ hostCalls }) => `stopped: the code made far more than ${hostCalls} calls`,
  hostCallBytes: ({ hostCallBytes }) =>
    `stopped: the code sent a message larger than the limit of a call (${hostCallBytes} bytes)`,
  cancelled: () => 'stopped: the call was cancelled',
};

/** One run in one guest. It validates and counts all messages and ends once. */
export class Run {
  readonly number: number;
  readonly job: Job;
  readonly limits: Limits;
  readonly finished: Promise<RunOutcome>;
  readonly #calls: HostCalls;
  readonly #send: (message: Outgoing) => void;
  readonly #timers = new Map<Id, NodeJS.Timeout>();
  readonly #printed: { readonly stdout: Printed; readonly stderr: Printed };
  readonly #started = performance.now();
  #finish: (outcome: RunOutcome) => void = () => undefined;
  #messages = 0;
  #over = false;

  constructor(
    number: number,
    job: Job,
    capability: Capability,
    limits: Limits,
    send: (message: Outgoing) => void,
    log: Log,
  ) {
    this.number = number;
    this.job = job;
    this.limits = limits;
    this.#send = send;
    this.#calls = new HostCalls(capability, limits, send, log);
    this.#printed = { stdout: new Printed(limits.outputBytes), stderr: new Printed(limits.outputBytes) };
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  get over(): boolean {
    return this.#over;
  }

  receive(message: GuestMessage): void {
    if (this.#over) return;
    switch (message.kind) {
      case 'printed':
        this.print(message.stream, message.text);
        break;
      case 'call':
        if (!this.#calls.take(message.id, message.request)) this.stop('hostCalls');
        return;
      case 'refused':
        this.#calls.refuse(message.id, new PortolanError(ErrorCode.ToolNotFound, message.message));
        break;
      case 'cancel':
        this.#calls.cancel(message.id);
        break;
      case 'timer':
        this.#startTimer(message.id, message.ms);
        return;
      case 'done':
        // Ignore the end of an earlier run, which may be late or forged.
        if (message.run === this.number) this.#done(message.done);
        break;
      case 'ready':
        break;
      case 'nonsense':
        this.stop('protocol', `stopped: the code sent an invalid message to the host (${message.why})`);
        return;
    }
    this.#messages += 1;
    if (this.#messages > MAX_MESSAGES) this.stop('protocol', 'stopped: the code sent too many messages to the host');
  }

  /** Returns false when the stream has reached its limit. */
  print(stream: 'stdout' | 'stderr', text: string): boolean {
    const printed = this.#printed[stream];
    printed.add(text);
    const { outputBytes } = this.limits;
    if (printed.bytes > FORGED_OUTPUT_FACTOR * outputBytes + FORGED_OUTPUT_BYTES) this.stop('outputBytes');
    return printed.bytes <= outputBytes;
  }

  stop(limit: StopReason, message = MESSAGES[limit]?.(this.limits) ?? 'stopped'): void {
    this.#end(() => ({ kind: 'stopped', limit, message, output: this.#output([], []) }));
  }

  #done({ value, error, files, truncated }: Done): void {
    this.#end(() => {
      const cut = new Set(truncated);
      for (const stream of ['stdout', 'stderr'] as const) if (cut.has(stream)) this.#printed[stream].markCut();
      const kept = value && this.#within(value, cut.has('result'));
      if (kept?.cut) cut.add('result');
      const output = this.#output(files, [...cut]);
      if (error) return { kind: 'threw', error, output };
      return { kind: 'value', ...(kept && { value: kept.value }), output };
    });
  }

  #within({ text, ...rest }: GuestValue, wasCut: boolean): { readonly value: GuestValue; readonly cut: boolean } {
    const { outputBytes } = this.limits;
    const isCut = wasCut || Buffer.byteLength(text) > outputBytes;
    if (!isCut) return { value: { text, ...rest }, cut: false };
    return { value: { text: withMark(firstBytes(text, outputBytes), outputBytes), ...rest }, cut: true };
  }

  #output(files: RunOutput['files'], truncated: RunOutput['truncated']): RunOutput {
    const { stdout, stderr } = this.#printed;
    const cut = new Set(truncated);
    if (stdout.cut) cut.add('stdout');
    if (stderr.cut) cut.add('stderr');
    return {
      stdout: stdout.toString(),
      stderr: stderr.toString(),
      files,
      truncated: [...cut],
      hostCalls: this.#calls.count,
      durationMs: performance.now() - this.#started,
    };
  }

  #startTimer(id: Id, ms: number): void {
    if (this.#timers.has(id) || this.#timers.size >= MAX_TIMERS) {
      this.stop('protocol', 'stopped: the code sent too many messages to the host');
      return;
    }
    const answer = () => {
      this.#timers.delete(id);
      this.#send({ kind: 'result', id, answer: { value: null } });
    };
    this.#timers.set(id, setTimeout(answer, Math.min(ms, this.limits.timeoutMs)));
  }

  #end(outcome: () => RunOutcome): void {
    if (this.#over) return;
    this.#over = true;
    this.#calls.close();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#finish(outcome());
  }
}
