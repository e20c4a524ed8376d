import { isObject } from '../base/index.js';
import type { DaemonConnection } from './daemon-connection.js';

interface Question {
  readonly line: DaemonConnection;
  readonly id: unknown;
}

const MAX_OPEN = 10_000;

/** What daemons ask the client. Each counts from 0: renamed, so that no answer reaches one that did not ask. */
export class DaemonQuestions {
  readonly #open = new Map<number, Question>();
  #next = 0;

  /** The id under which the client is asked. */
  put(line: DaemonConnection, id: unknown): number {
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    const own = this.#next;
    this.#next += 1;
    this.#open.set(own, { line, id });
    return own;
  }

  /** The client's answer goes to who asked; one that is gone has no use for it. False where nobody asked. */
  answer(message: Readonly<Record<string, unknown>>): boolean {
    const { id } = message;
    const question = typeof id === 'number' ? this.#open.get(id) : undefined;
    if (!question || typeof id !== 'number') return false;
    this.#open.delete(id);
    question.line.tell({ ...message, id: question.id });
    return true;
  }

  /** A daemon takes a question back. */
  cancelled(line: DaemonConnection, params: unknown): object | undefined {
    if (!isObject(params)) return undefined;
    const [own] = [...this.#open].find(([, open]) => open.line === line && open.id === params.requestId) ?? [];
    return own === undefined ? undefined : { ...params, requestId: own };
  }
}
