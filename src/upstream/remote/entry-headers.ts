import type { HeaderFields } from './header-rules.js';

/** Minimum time between two runs of the helper after refused requests. */
const RENEW_EVERY_MS = 5_000;
/** The number of header values that stay masked, including those of earlier runs. */
const MAX_SECRETS = 256;

/** The headers of an entry, sent with every request to its server. */
export class EntryHeaders {
  readonly #fixed: HeaderFields;
  readonly #ask: (() => Promise<HeaderFields>) | undefined;
  #current: HeaderFields;
  #secrets: string[] = [];
  #renewing: Promise<void> | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;

  private constructor(fixed: HeaderFields, ask: (() => Promise<HeaderFields>) | undefined) {
    this.#fixed = fixed;
    this.#ask = ask;
    this.#current = fixed;
    this.#remember(fixed);
  }

  /** Headers of the helper override those of the entry. */
  static async open(fixed: HeaderFields, ask?: () => Promise<HeaderFields>): Promise<EntryHeaders> {
    const headers = new EntryHeaders(fixed, ask);
    if (ask) headers.#take(await ask());
    return headers;
  }

  get current(): HeaderFields {
    return this.#current;
  }

  /** Every value that was sent, to be masked in texts. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  get bringsKey(): boolean {
    return Object.keys(this.#current).some((name) => name.toLowerCase() === 'authorization');
  }

  /** Gets new headers after a refusal; false if there are none. */
  async renew(refused: HeaderFields): Promise<boolean> {
    if (this.#current !== refused) return true; // another request has renewed them
    if (!this.#renewing) {
      if (!this.#ask || performance.now() - this.#renewedAt < RENEW_EVERY_MS) return false;
      this.#renewing = this.#run(this.#ask).finally(() => {
        this.#renewing = undefined;
      });
    }
    // Concurrent refused requests share one run.
    await this.#renewing;
    return true;
  }

  async #run(ask: () => Promise<HeaderFields>): Promise<void> {
    this.#renewedAt = performance.now();
    this.#take(await ask());
  }

  #take(told: HeaderFields): void {
    const names = new Set(Object.keys(told).map((name) => name.toLowerCase()));
    const kept = Object.entries(this.#fixed).filter(([name]) => !names.has(name.toLowerCase()));
    this.#current = { ...Object.fromEntries(kept), ...told };
    this.#remember(told);
  }

  #remember(headers: HeaderFields): void {
    // Mask the key alone as well, without a prefix such as `Bearer`.
    const values = Object.values(headers).flatMap((value) => [value, ...value.split(' ')]);
    this.#secrets = [...new Set([...values, ...this.#secrets])].slice(0, MAX_SECRETS);
  }
}
