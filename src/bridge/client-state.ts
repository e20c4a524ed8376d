import { type Log, visible } from '../base/index.js';
import { LastingRequests, type NotRestored } from '../rpc/index.js';
import type { ClientOutput } from './client-output.js';
import type { DaemonConnection } from './daemon-connection.js';

const PYTHON = 'run_python';
/** The prefix of an error response; the daemon always writes the keys in this order. */
const REFUSAL = /^\{"jsonrpc":"2\.0","id":[^{]*"error":/;
const HEAD_BYTES = 1_200;
/** Requests whose rejection is detected. With more open at once, a rejection is taken for a success. */
const MAX_OPEN = 10_000;
/** Further losses are only counted. */
const MAX_NAMED = 20;
const MAX_WHY_CHARACTERS = 300;
/**
 * A client with one of these log levels gets no notification about a lost subscription, which has the level `error`.
 */
const HIGHER_LEVELS: readonly unknown[] = ['critical', 'alert', 'emergency'];

/** Receives the list of requests that could not be restored. */
export interface Report {
  readonly client: Pick<ClientOutput, 'write'>;
  readonly log: Log;
}

/** The state of a client that a new daemon must have: its handshake, log level and subscriptions. */
export class ClientState {
  readonly #lasting = new LastingRequests();
  readonly #undo = new Map<string, () => void>();
  #greeting: Readonly<Record<string, unknown>> | undefined;
  #isGreeted = false;
  #isInitialized = false;
  #level: unknown;
  /** Whether the gateway keeps state for this client that ends with the daemon: variables of Python sessions. */
  hasKept = false;

  asked(id: string, method: string, params: Readonly<Record<string, unknown>>): void {
    if (method === 'tools/call' && params.name === PYTHON) this.hasKept = true;
    if (method === 'initialize') this.#greeting = params;
    if (method === 'logging/setLevel') this.#level = params.level;
    const undo = this.#lasting.note(method, params);
    if (undo && this.#undo.size < MAX_OPEN) this.#undo.set(id, undo);
  }

  /** Records a response. After the handshake the pipe can repeat it; a rejected request is not repeated. */
  answered(id: string, method: string | undefined, bytes: Buffer): void {
    if (method === 'initialize') this.#isGreeted = true;
    const undo = this.#undo.get(id);
    if (!undo) return;
    this.#undo.delete(id);
    if (REFUSAL.test(bytes.toString('latin1', 0, HEAD_BYTES))) undo();
  }

  notified(method: string): void {
    if (method === 'notifications/initialized' || method === 'initialized') this.#isInitialized = true;
  }

  /**
   * Performs the handshake with a daemon and repeats the requests with lasting effect. Reports what could not be
   * restored.
   */
  async restore(line: DaemonConnection, report: Report): Promise<void> {
    if (!this.#greeting || !this.#isGreeted) return;
    await line.ask('initialize', this.#greeting);
    if (this.#isInitialized) line.tell({ method: 'notifications/initialized' });
    // An upstream server that is unreachable now must not end the client's connection.
    const lost = await this.#lasting.restore((method, params) => line.ask(method, params));
    if (lost.length > 0 && !line.stream.destroyed) this.#tell(lost, line, report);
  }

  #tell(lost: readonly NotRestored[], line: DaemonConnection, { client, log }: Report): void {
    const named = lost.slice(0, MAX_NAMED).map(({ what, why }) => ({
      what: visible(what),
      why: visible(why.slice(0, MAX_WHY_CHARACTERS)),
    }));
    const others = lost.length - named.length;
    log('warn', 'not restored after the daemon was lost', { lost: named, ...(others > 0 && { others }) });
    if (HIGHER_LEVELS.includes(this.#level)) return;
    const words = named.map(({ what, why }) => `${what} (${why})`).join('; ');
    const data = `Portolan reconnected and could not restore ${words}${others > 0 ? `; and ${others} more` : ''}. Send the request again.`;
    const params = { level: 'error', logger: 'portolan', data };
    client.write(Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params })), line);
  }
}
