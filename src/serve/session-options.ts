import type { Answer, Log, Params } from '../base/index.js';
import type { Face } from './face.js';
import type { Questions } from './questions.js';

/** What a client can reach beside the servers: other clients, and who serves it. */
export interface Routes {
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Undefined for a method that is not of these. */
  answer(method: string, params: NonNullable<Params>): Promise<Answer> | undefined;
  notified(method: string): void;
}

export interface SessionOptions {
  readonly face: Face;
  readonly questions: Questions;
  readonly version: string;
  readonly log: Log;
  /** Sets this client apart from others of its name. */
  readonly label?: string;
  /** Who may go on with what this client began: the same for all requests of one client, and of no other. */
  readonly principal?: string;
  readonly routes?: Routes;
}

/** A client did not answer in time. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}
