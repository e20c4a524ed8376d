import { StringDecoder } from 'node:string_decoder';
import type { Log } from '../../base/index.js';
import { type Outgoing, StreamChannel } from '../../rpc/index.js';
import type { Capability, GuestProcess, Job, Limits } from '../engine.js';
import { readGuestMessage } from './guest-messages.js';
import { Run, type RunOutcome } from './sandbox-run.js';

/** What JSON makes of one character at worst: two escapes for one outside the basic plane. */
const MAX_ESCAPED_BYTES = 12;
const ENVELOPE_BYTES = 64 * 1024;
const MAX_DEPTH = 128;
/** Results that the guest does not read pile up in our memory. */
const MAX_BACKLOG_BYTES = 64 * 1024 * 1024;
const TAIL_CHARACTERS = 2_000;
/** A killed process that is still there by then is stuck in the kernel; nobody waits for it. */
const END_MS = 5_000;

/** An interpreter that was started, with nothing between it and us but two pipes of which we believe nothing. */
export class Guest {
  /** Rejects with why it never came up. */
  readonly ready: Promise<void>;
  readonly ended: Promise<string>;
  readonly #process: GuestProcess;
  readonly #channel: StreamChannel;
  readonly #log: Log;
  #run: Run | undefined;
  #runs = 0;
  #isReady: () => void = () => undefined;
  #isNotReady: (reason: Error) => void = () => undefined;
  #alive = true;
  /** What it wrote to its own stderr while no run was there to take it. */
  #tail = '';

  constructor(process: GuestProcess, startMs: number, log: Log) {
    this.#process = process;
    this.#log = log;
    this.ready = new Promise((resolve, reject) => {
      this.#isReady = resolve;
      this.#isNotReady = reject;
    });
    this.ready.catch(() => undefined); // a spare that never came up is told of when somebody takes it
    const late = setTimeout(() => this.#fail(`was not ready after ${startMs / 1000} s`), startMs);
    this.ready.then(
      () => clearTimeout(late),
      () => clearTimeout(late),
    );
    this.ended = process.ended.then((how) => {
      this.#over(how);
      return how;
    });
    this.#channel = new StreamChannel(process.output, process.input, () => this.#streamLimits());
    this.#channel.start({
      message: (message) => this.#receive(readGuestMessage(message, this.#run?.job.servers ?? [])),
      overlong: () => this.#misbehaved('hostCallBytes'),
      undelivered: () => undefined,
      onClose: () => this.kill(), // who cannot be heard is of no use; `ended` says the rest
    });
    this.#takeErrors();
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** One job at a time. The guest is dead afterwards if the run was stopped. */
  async run(job: Job, capability: Capability, limits: Limits, signal: AbortSignal): Promise<RunOutcome> {
    this.#runs += 1;
    const run = new Run(this.#runs, job, capability, limits, (message) => this.#send(message), this.#log);
    this.#run = run;
    this.#tail = '';
    this.#process.errors.resume();
    const timer = setTimeout(() => run.stop('timeoutMs'), limits.timeoutMs);
    const cancel = () => run.stop('cancelled');
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    else if (!this.#alive) run.stop('died', 'the interpreter ended before the code began');
    else this.#sendJob(run);
    try {
      const outcome = await run.finished;
      if (outcome.kind === 'stopped') await this.end();
      return outcome;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      this.#run = undefined;
    }
  }

  kill(): void {
    this.#alive = false;
    this.#process.kill();
  }

  /** Kills it and waits until nothing is left. */
  async end(): Promise<void> {
    this.kill();
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, END_MS);
    });
    await Promise.race([this.ended, limit]);
    clearTimeout(timer);
  }

  #sendJob(run: Run): void {
    const { code, servers } = run.job;
    const { outputBytes, hostCallBytes, fileBytes, folderBytes, memoryBytes } = run.limits;
    const limits = { outputBytes, hostCallBytes, fileBytes, folderBytes, memoryBytes };
    this.#send({ kind: 'notification', method: 'job', params: { run: run.number, code, servers, limits } });
  }

  #send(message: Outgoing): void {
    if (!this.#alive) return;
    this.#channel.send(message);
    if (this.#channel.backlogBytes > MAX_BACKLOG_BYTES) this.#misbehaved('hostCallBytes');
  }

  #receive(message: ReturnType<typeof readGuestMessage>): void {
    if (message.kind === 'ready') this.#isReady();
    const run = this.#run;
    if (run && !run.over) {
      run.receive(message);
      // Killed at once and not a turn later: until then it would go on writing.
      if (run.over && message.kind !== 'done') this.kill();
      return;
    }
    // Between runs only a thread that was left behind speaks; nobody listens, and it gets no answers.
    if (message.kind !== 'ready' && message.kind !== 'cancel' && message.kind !== 'done') this.#strayed();
  }

  #strays = 0;
  #strayed(): void {
    this.#strays += 1;
    if (this.#strays > 1_000) this.kill();
  }

  #misbehaved(limit: 'hostCallBytes'): void {
    this.#run?.stop(limit);
    this.kill();
  }

  #streamLimits(): { readonly maxLineBytes: number; readonly maxDepth: number } {
    const limits = this.#run?.limits;
    if (!limits) return { maxLineBytes: ENVELOPE_BYTES, maxDepth: MAX_DEPTH };
    const { outputBytes, hostCallBytes, fileBytes } = limits;
    // The text of a result, the same as JSON, and the files all come in one line.
    const done = 2 * MAX_ESCAPED_BYTES * outputBytes + MAX_ESCAPED_BYTES * fileBytes;
    return { maxLineBytes: ENVELOPE_BYTES + Math.max(hostCallBytes, done), maxDepth: MAX_DEPTH };
  }

  /** Its raw stderr: crashes, and what code writes past `sys.stderr`. */
  #takeErrors(): void {
    const { errors } = this.#process;
    const decoder = new StringDecoder('utf8');
    errors.on('data', (chunk: Buffer) => {
      const text = decoder.write(chunk);
      this.#tail = (this.#tail + text).slice(-TAIL_CHARACTERS);
      if (this.#process.privateErrors) return;
      // Not read any more: who writes on waits until the time is up.
      if (this.#run?.print('stderr', text) === false) errors.pause();
    });
    errors.on('error', () => undefined);
  }

  #fail(why: string): void {
    const said = this.#tail.trim();
    this.#isNotReady(new Error(said === '' ? why : `${why}: ${said}`));
    this.kill();
  }

  #over(how: string): void {
    this.#alive = false;
    this.#isNotReady(new Error(`${how}${this.#tail.trim() === '' ? '' : `: ${this.#tail.trim()}`}`));
    this.#run?.stop('died', `the interpreter ended: ${how}`);
  }
}
