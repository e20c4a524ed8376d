import type { Log } from '../../base/index.js';
import type { Answer, Params } from '../../rpc/index.js';
import type { Surface } from '../surfaces/surface.js';
import type { OtherClients } from './other-clients.js';
import type { ServerQuestions } from './server-questions.js';

/** No client has more open at once: what is called waits in a queue of its own, but who listens holds memory for as long as it likes. */
export const MAX_OPEN_REQUESTS = 10_000;
/** A client that does not say its roots by then has none. */
export const ROOTS_MS = 5_000;

/** What a client can reach beside the servers: other clients, and who serves it. */
export interface Routes {
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Undefined for a method that is not of these. */
  answer(method: string, params: NonNullable<Params>): Promise<Answer> | undefined;
  notified(method: string): void;
  readonly others: OtherClients;
}

export interface SessionOptions {
  readonly face: Surface;
  readonly questions: ServerQuestions;
  readonly version: string;
  readonly log: Log;
  /** Sets this client apart from others of its name. */
  readonly label?: string;
  /** Who may go on with what this client began: the same for all requests of one client, and of no other. */
  readonly principal?: string;
  /** Others may come under the same name: nothing is kept for this client from one request to the next. */
  readonly isStateless?: boolean;
  readonly routes?: Routes;
  /** An earlier gateway kept something for this client, which is gone with it. */
  readonly lostState?: boolean;
}

/** A client did not answer in time. */
export class ClientSilent extends Error {
  override readonly name = 'ClientSilent';
}
