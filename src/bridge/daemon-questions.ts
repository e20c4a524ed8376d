import { isObject } from '../base/index.js';
import type { DaemonConnection } from './daemon-connection.js';

interface Question {
  readonly line: DaemonConnection;
  readonly id: unknown;
}

const MAX_OPEN = 10_000;

/**
 * Requests from daemons to the client. Each daemon counts its ids from 0, so the ids are replaced: a response must reach
 * only the daemon that sent the request.
 */
export class DaemonQuestions {
  readonly #open = new Map<number, Question>();
  #next = 0;

  /** The id of the request towards the client. */
  put(line: DaemonConnection, id: unknown): number {
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    const own = this.#next;
    this.#next += 1;
    this.#open.set(own, { line, id });
    return own;
  }

  /**
   * Sends the client's response to the daemon that requested it, if still connected. False if there is no such request.
   */
  answer(message: Readonly<Record<string, unknown>>): boolean {
    const { id } = message;
    const question = typeof id === 'number' ? this.#open.get(id) : undefined;
    if (!question || typeof id !== 'number') return false;
    this.#open.delete(id);
    question.line.tell({ ...message, id: question.id });
    return true;
  }

  /** Translates a daemon's cancellation of its own request. */
  cancelled(line: DaemonConnection, params: unknown): object | undefined {
    if (!isObject(params)) return undefined;
    const [own] = [...this.#open].find(([, open]) => open.line === line && open.id === params.requestId) ?? [];
    return own === undefined ? undefined : { ...params, requestId: own };
  }
}
