import type { Log } from '../../base/index.js';
import type { Answer, Params } from '../../rpc/index.js';
import type { Surface } from '../surfaces/surface.js';
import type { OtherClients } from './other-clients.js';
import type { ServerQuestions } from './server-questions.js';

/** The limit per client. Calls have queue limits of their own; requests that listen would be unlimited. */
export const MAX_OPEN_REQUESTS = 10_000;
/** A client that does not answer `roots/list` within this time is treated as having no roots. */
export const ROOTS_MS = 5_000;

/** Methods beside those of the servers: about other clients and the daemon. */
export interface Routes {
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Undefined for any other method. */
  answer(method: string, params: NonNullable<Params>): Promise<Answer> | undefined;
  onNotification(method: string): void;
  readonly others: OtherClients;
}

export interface SessionOptions {
  readonly surface: Surface;
  readonly questions: ServerQuestions;
  readonly version: string;
  readonly log: Log;
  /** Distinguishes this client from others with the same name. */
  readonly label?: string;
  /** The identity that may continue a suspended call; the same for all requests of one client, and unique. */
  readonly principal?: string;
  /** Several clients may use the same name, so no state is kept between requests. */
  readonly isStateless?: boolean;
  readonly routes?: Routes;
  /** State of this client was lost with an earlier gateway. */
  readonly lostState?: boolean;
}

/** A client did not respond in time. */
export class ClientSilent extends Error {
  override readonly name = 'ClientSilent';
}
