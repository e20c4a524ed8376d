import { StringDecoder } from 'node:string_decoder';
import type { Log } from '../../base/index.js';
import { ENVELOPE_BYTES, type Outgoing, StreamChannel } from '../../rpc/index.js';
import type { Capability, GuestProcess, Job, Limits } from '../engine.js';
import { readGuestMessage } from './guest-messages.js';
import { Run, type RunOutcome } from './sandbox-run.js';

/** The largest JSON encoding of one character: two escapes for a character outside the basic plane. */
const MAX_ESCAPED_BYTES = 12;
const MAX_DEPTH = 128;
/** The limit of results that wait in memory for the guest to read them. */
const MAX_BACKLOG_BYTES = 64 * 1024 * 1024;
const TAIL_CHARACTERS = 2_000;
/** A killed process that still exists after this time is stuck in the kernel; the shutdown does not wait longer. */
const END_MS = 5_000;

/** A started interpreter, connected by two pipes. All its messages are untrusted. */
export class Guest {
  /** Rejects with the reason if the interpreter does not start. */
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
  /** Stderr output that arrived while no run was active. */
  #tail = '';

  constructor(process: GuestProcess, startMs: number, log: Log) {
    this.#process = process;
    this.#log = log;
    this.ready = new Promise((resolve, reject) => {
      this.#isReady = resolve;
      this.#isNotReady = reject;
    });
    this.ready.catch(() => undefined); // a spare that failed to start is reported when a job takes it
    const timer = setTimeout(() => this.#fail(`was not ready after ${startMs / 1000} s`), startMs);
    this.ready.then(
      () => clearTimeout(timer),
      () => clearTimeout(timer),
    );
    this.ended = process.ended.then((how) => {
      this.#over(how);
      return how;
    });
    this.#channel = new StreamChannel(process.output, process.input, () => this.#streamLimits());
    this.#channel.start({
      message: (message) => this.#receive(readGuestMessage(message, this.#run?.job.servers ?? [])),
      overlong: () => this.#exceeded('hostCallBytes'),
      undelivered: () => undefined,
      onClose: () => this.kill(), // without its channel the guest is useless; `ended` reports the reason
    });
    this.#takeErrors();
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Runs one job at a time. If the run is stopped, the guest is killed. */
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
    else if (!this.#alive) run.stop('died', 'the interpreter exited before the code started');
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

  /** Kills the guest and waits until all its processes have ended. */
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
    if (this.#channel.backlogBytes > MAX_BACKLOG_BYTES) this.#exceeded('hostCallBytes');
  }

  #receive(message: ReturnType<typeof readGuestMessage>): void {
    if (message.kind === 'ready') this.#isReady();
    const run = this.#run;
    if (run && !run.over) {
      run.receive(message);
      // Kill it in the same turn of the event loop, because it would continue to write.
      if (run.over && message.kind !== 'done') this.kill();
      return;
    }
    // Between runs only a leftover thread can send messages; they are dropped and get no response.
    if (message.kind !== 'ready' && message.kind !== 'cancel' && message.kind !== 'done') this.#dropLeftover();
  }

  #leftoverMessages = 0;
  #dropLeftover(): void {
    this.#leftoverMessages += 1;
    if (this.#leftoverMessages > 1_000) this.kill();
  }

  #exceeded(limit: 'hostCallBytes'): void {
    this.#run?.stop(limit);
    this.kill();
  }

  #streamLimits(): { readonly maxLineBytes: number; readonly maxDepth: number } {
    const limits = this.#run?.limits;
    if (!limits) return { maxLineBytes: ENVELOPE_BYTES, maxDepth: MAX_DEPTH };
    const { outputBytes, hostCallBytes, fileBytes } = limits;
    // The text of a result, its JSON and the files arrive in one line.
    const done = 2 * MAX_ESCAPED_BYTES * outputBytes + MAX_ESCAPED_BYTES * fileBytes;
    return { maxLineBytes: ENVELOPE_BYTES + Math.max(hostCallBytes, done), maxDepth: MAX_DEPTH };
  }

  /** Reads the raw stderr: crashes, and output that bypasses `sys.stderr`. */
  #takeErrors(): void {
    const { errors } = this.#process;
    const decoder = new StringDecoder('utf8');
    errors.on('data', (chunk: Buffer) => {
      const text = decoder.write(chunk);
      this.#tail = (this.#tail + text).slice(-TAIL_CHARACTERS);
      if (this.#process.privateErrors) return;
      // Stop reading; the guest blocks on its next write until the time limit ends the run.
      if (this.#run?.print('stderr', text) === false) errors.pause();
    });
    errors.on('error', () => undefined);
  }

  #fail(why: string): void {
    const leftover = this.#tail.trim();
    this.#isNotReady(new Error(leftover === '' ? why : `${why}: ${leftover}`));
    this.kill();
  }

  #over(how: string): void {
    this.#alive = false;
    this.#isNotReady(new Error(`${how}${this.#tail.trim() === '' ? '' : `: ${this.#tail.trim()}`}`));
    this.#run?.stop('died', `the interpreter exited: ${how}`);
  }
}
