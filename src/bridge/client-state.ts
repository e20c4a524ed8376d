import { type Log, visible } from '../base/index.js';
import { LastingRequests, type NotRestored } from '../rpc/index.js';
import type { ClientOutput } from './client-output.js';
import type { DaemonConnection } from './daemon-connection.js';

const PYTHON = 'run_python';
/** The daemon writes an answer in this order. */
const REFUSAL = /^\{"jsonrpc":"2\.0","id":[^{]*"error":/;
const HEAD_BYTES = 1_200;
/** Requests that may be refused; a client with more open at once has its refusals taken for successes. */
const MAX_OPEN = 10_000;
/** More are counted and not named. */
const MAX_NAMED = 20;
const MAX_WHY_CHARACTERS = 300;
/** A client that asked for one of these levels gets no notification about a lost subscription, which has the level `error`. */
const HIGHER_LEVELS: readonly unknown[] = ['critical', 'alert', 'emergency'];

/** Receives what could not be restored. */
export interface Report {
  readonly client: Pick<ClientOutput, 'write'>;
  readonly log: Log;
}

/** What a client has said once and a new daemon must know. */
export class ClientState {
  readonly #lasting = new LastingRequests();
  readonly #undo = new Map<string, () => void>();
  #greeting: Readonly<Record<string, unknown>> | undefined;
  #isGreeted = false;
  #isInitialized = false;
  #level: unknown;
  /** The gateway keeps something for this client that does not outlive it: the variables of its programs. */
  hasKept = false;

  asked(id: string, method: string, params: Readonly<Record<string, unknown>>): void {
    if (method === 'tools/call' && params.name === PYTHON) this.hasKept = true;
    if (method === 'initialize') this.#greeting = params;
    if (method === 'logging/setLevel') this.#level = params.level;
    const undo = this.#lasting.note(method, params);
    if (undo && this.#undo.size < MAX_OPEN) this.#undo.set(id, undo);
  }

  /** Once the greeting is answered, it is ours to repeat and not the client's. What was refused is not repeated. */
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

  /** Greets a daemon on the client's behalf and asks again for what the last one did for it. The client learns what it does without. */
  async restore(line: DaemonConnection, report: Report): Promise<void> {
    if (!this.#greeting || !this.#isGreeted) return;
    await line.ask('initialize', this.#greeting);
    if (this.#isInitialized) line.tell({ method: 'notifications/initialized' });
    // A server that cannot be reached now is no reason to give up the client.
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
    const data = `Portolan reconnected and could not restore ${words}${others > 0 ? `; and ${others} more` : ''}. Ask for it again.`;
    const params = { level: 'error', logger: 'portolan', data };
    client.write(Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params })), line);
  }
}
