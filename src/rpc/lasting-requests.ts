type Params = Readonly<Record<string, unknown>>;

/** A request that could not be restored after a reconnection. */
export interface NotRestored {
  /** For messages: the log level, or the subscription to a resource. */
  readonly what: string;
  /** The resource, for a subscription. */
  readonly uri?: string;
  readonly why: string;
}

interface Lasting {
  readonly method: string;
  readonly params: Params;
  readonly what: string;
  readonly uri?: string;
}

const MAX_KEPT = 10_000;
const LEVEL = 'level';

/**
 * The log level and the resource subscriptions that were requested on a connection. The next connection must request
 * them again.
 */
export class LastingRequests {
  readonly #kept = new Map<string, Lasting>();
  /** The number of subscriptions beyond the limit, which are not stored. */
  #unstored = 0;

  /**
   * Records a request with a lasting effect. Returns a function that removes the record, for a request that is
   * rejected.
   */
  note(method: string, params: Params): (() => void) | undefined {
    const uri = String(params.uri);
    switch (method) {
      case 'logging/setLevel':
        return this.#keep(LEVEL, {
          method,
          params: { level: params.level },
          what: `the log level ${String(params.level)}`,
        });
      case 'resources/subscribe':
        return this.#keep(`uri ${uri}`, { method, params: { uri }, what: `the subscription to ${uri}`, uri });
      case 'resources/unsubscribe':
        this.#kept.delete(`uri ${uri}`);
        return undefined;
      default:
        return undefined;
    }
  }

  get hasSubscriptions(): boolean {
    return this.#kept.size > (this.#kept.has(LEVEL) ? 1 : 0);
  }

  /** Repeats all requests in their original order. A rejected request is kept for the next reconnection. */
  async restore(ask: (method: string, params: Params) => Promise<unknown>): Promise<readonly NotRestored[]> {
    const asked = [...this.#kept.values()].map(
      async ({ method, params, ...about }): Promise<readonly NotRestored[]> => {
        try {
          await ask(method, params);
          return [];
        } catch (error) {
          return [notRestored(about, error)];
        }
      },
    );
    const failed = (await Promise.all(asked)).flat();
    if (this.#unstored === 0) return failed;
    return [
      ...failed,
      { what: `${this.#unstored} subscriptions`, why: `only ${MAX_KEPT} are kept for a reconnection` },
    ];
  }

  /** All subscriptions as lost, for the time without a connection. */
  without(error: unknown): readonly NotRestored[] {
    return [...this.#kept.values()].filter(({ uri }) => uri !== undefined).map((about) => notRestored(about, error));
  }

  #keep(key: string, lasting: Lasting): (() => void) | undefined {
    const before = this.#kept.get(key);
    if (!before && this.#kept.size >= MAX_KEPT) {
      this.#unstored += 1;
      return () => {
        this.#unstored -= 1;
      };
    }
    this.#kept.set(key, lasting);
    return () => {
      if (before) this.#kept.set(key, before);
      else this.#kept.delete(key);
    };
  }
}

function notRestored({ what, uri }: Pick<Lasting, 'what' | 'uri'>, error: unknown): NotRestored {
  const why = error instanceof Error ? error.message : String(error);
  return { what, why, ...(uri !== undefined && { uri }) };
}
