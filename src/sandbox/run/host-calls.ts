import { ErrorCode, isDeeperThan, isValueDeeperThan, type Log, PortolanError } from '../../base/index.js';
import type { Id, Outgoing } from '../../rpc/index.js';
import { type Capability, type HostCall, type Limits, WrittenResult } from '../engine.js';

/** The limit of concurrent calls of one run; further calls are queued. */
const AT_ONCE = 64;
/** Deeper values make the JSON parsers of Python or Node fail. */
const MAX_DEPTH = 200;
/** The JSON-RPC code of faults that carry a Portolan error in their data. */
const REFUSED = -32_000;

/** The host calls of one run. The guest receives only the capability's response. */
export class HostCalls {
  readonly #capability: Capability;
  readonly #limits: Limits;
  readonly #send: (message: Outgoing) => void;
  readonly #log: Log;
  readonly #open = new Map<Id, AbortController>();
  readonly #waiting: (() => void)[] = [];
  #active = 0;
  #count = 0;
  #closed = false;
  #isTurnAsked = false;

  constructor(capability: Capability, limits: Limits, send: (message: Outgoing) => void, log: Log) {
    this.#capability = capability;
    this.#limits = limits;
    this.#send = send;
    this.#log = log;
  }

  get count(): number {
    return this.#count;
  }

  /** Returns false for a call that the guest program never makes: an id in use, or far more calls than permitted. */
  take(id: Id, request: HostCall): boolean {
    if (this.#open.has(id) || this.#count >= 2 * this.#limits.hostCalls) return false;
    this.#count += 1;
    if (this.#count > this.#limits.hostCalls) {
      const text = `this code made more than ${this.#limits.hostCalls} calls`;
      this.refuse(id, new PortolanError(ErrorCode.LimitExceeded, text, { hint: 'make fewer calls in one run' }));
      return true;
    }
    const controller = new AbortController();
    this.#open.set(id, controller);
    const begin = () => void this.#answer(id, request, controller);
    if (this.#active < AT_ONCE && this.#waiting.length === 0) begin();
    else this.#waiting.push(begin);
    this.#startNext();
    return true;
  }

  cancel(id: Id): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
  }

  refuse(id: Id, error: PortolanError): void {
    const data = { code: error.code, ...(error.hint !== undefined && { hint: error.hint }) };
    this.#send({ kind: 'fault', id, fault: { code: REFUSED, message: error.message, data } });
  }

  /** Aborts the running calls, because the run has ended. */
  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
    for (const controller of this.#open.values()) controller.abort();
    this.#open.clear();
  }

  async #answer(id: Id, request: HostCall, controller: AbortController): Promise<void> {
    this.#active += 1;
    try {
      // It was cancelled while it was queued.
      if (controller.signal.aborted) return;
      const json = this.#written(await this.#capability(request, controller.signal));
      if (this.#open.delete(id)) this.#send({ kind: 'result', id, answer: { json } });
    } catch (error) {
      if (this.#open.delete(id)) this.refuse(id, this.#asOurs(error));
    } finally {
      this.#active -= 1;
      this.#startNext();
    }
  }

  /**
   * Starts one queued call per turn of the event loop. Otherwise calls that are answered immediately would block the
   * gateway's timers and sockets.
   */
  #startNext(): void {
    if (this.#closed || this.#isTurnAsked || this.#waiting.length === 0 || this.#active >= AT_ONCE) return;
    this.#isTurnAsked = true;
    setImmediate(() => {
      this.#isTurnAsked = false;
      if (this.#active < AT_ONCE) this.#waiting.shift()?.();
      this.#startNext();
    });
  }

  #written(value: unknown): Buffer {
    const isWritten = value instanceof WrittenResult;
    if (isWritten ? isDeeperThan(value.bytes, MAX_DEPTH) : isValueDeeperThan(value, MAX_DEPTH))
      throw new PortolanError(ErrorCode.ResultTooLarge, `the result is nested deeper than ${MAX_DEPTH} levels`, {
        hint: 'request less data',
      });
    const bytes = isWritten ? value.bytes : Buffer.from(JSON.stringify(value) ?? 'null');
    if (bytes.length <= this.#limits.hostCallBytes) return bytes;
    throw new PortolanError(
      ErrorCode.ResultTooLarge,
      `the result has ${bytes.length} bytes, more than ${this.#limits.hostCallBytes}`,
      { hint: 'request less data' },
    );
  }

  /** The message of an internal error is only logged, because the code is untrusted. */
  #asOurs(error: unknown): PortolanError {
    if (error instanceof PortolanError) return error;
    this.#log('error', 'a call from the sandbox failed', { error: String(error) });
    return new PortolanError(ErrorCode.ToolExecutionError, 'the call failed inside the gateway', {
      hint: 'the log of the gateway has the reason',
    });
  }
}
