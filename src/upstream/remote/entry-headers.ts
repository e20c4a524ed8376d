import type { HeaderFields } from './header-rules.js';

/** The helper is not run again for calls that fail in a row sooner than this. */
const RENEW_EVERY_MS = 5_000;
/** As many secrets of earlier runs as are still kept out of texts. */
const MAX_SECRETS = 256;

/** The headers that go with every request to a server. */
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

  /** With a helper, what it says replaces what is written. */
  static async open(fixed: HeaderFields, ask?: () => Promise<HeaderFields>): Promise<EntryHeaders> {
    const headers = new EntryHeaders(fixed, ask);
    if (ask) headers.#take(await ask());
    return headers;
  }

  get current(): HeaderFields {
    return this.#current;
  }

  /** Every value that was sent, for texts that may not show them. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  get bringsKey(): boolean {
    return Object.keys(this.#current).some((name) => name.toLowerCase() === 'authorization');
  }

  /** Other headers than those that were refused, or false where none are to be had. */
  async renew(refused: HeaderFields): Promise<boolean> {
    if (this.#current !== refused) return true; // somebody else renewed them meanwhile
    if (!this.#renewing) {
      if (!this.#ask || performance.now() - this.#renewedAt < RENEW_EVERY_MS) return false;
      this.#renewing = this.#run(this.#ask).finally(() => {
        this.#renewing = undefined;
      });
    }
    // All who were refused at once wait for one run.
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
    // The word before a key is none: the key alone must not be shown either.
    const values = Object.values(headers).flatMap((value) => [value, ...value.split(' ')]);
    this.#secrets = [...new Set([...values, ...this.#secrets])].slice(0, MAX_SECRETS);
  }
}
