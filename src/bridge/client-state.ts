import type { DaemonLine } from './daemon-connection.js';

const MAX_SUBSCRIPTIONS = 10_000;
const PYTHON = 'run_python';

/** What a client has said once and a new daemon must know. */
export class ClientState {
  readonly #subscribed = new Set<string>();
  #greeting: Readonly<Record<string, unknown>> | undefined;
  #isGreeted = false;
  #isInitialized = false;
  #level: unknown;
  /** The gateway keeps something for this client that does not outlive it: the variables of its programs. */
  hasKept = false;

  asked(method: string, params: Readonly<Record<string, unknown>>): void {
    const { uri } = params;
    if (method === 'tools/call' && params.name === PYTHON) this.hasKept = true;
    if (method === 'initialize') this.#greeting = params;
    else if (method === 'logging/setLevel') this.#level = params.level;
    else if (method === 'resources/unsubscribe') this.#subscribed.delete(String(uri));
    else if (method === 'resources/subscribe' && this.#subscribed.size < MAX_SUBSCRIPTIONS)
      this.#subscribed.add(String(uri));
  }

  /** The greeting was answered: from now on it is ours to repeat and not the client's. */
  greeted(): void {
    this.#isGreeted = true;
  }

  notified(method: string): void {
    if (method === 'notifications/initialized' || method === 'initialized') this.#isInitialized = true;
  }

  /** Greets a daemon on the client's behalf. */
  async restore(line: DaemonLine): Promise<void> {
    if (!this.#greeting || !this.#isGreeted) return;
    await line.ask('initialize', this.#greeting);
    if (this.#isInitialized) line.tell({ method: 'notifications/initialized' });
    const asked = [
      ...(this.#level === undefined ? [] : [line.ask('logging/setLevel', { level: this.#level })]),
      ...[...this.#subscribed].map((uri) => line.ask('resources/subscribe', { uri })),
    ];
    // A server that cannot be had now is no reason to give the client up.
    await Promise.allSettled(asked);
  }
}
