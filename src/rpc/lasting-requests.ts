type Params = Readonly<Record<string, unknown>>;

/** A request whose effect ended with the connection and could not be had again. */
export interface NotRestored {
  /** For people: the log level, or the subscription to a resource. */
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

/** The log level and the subscriptions that were asked for on a connection: the next connection has to be asked again. */
export class LastingRequests {
  readonly #kept = new Map<string, Lasting>();
  /** How many subscriptions were too many to be kept. */
  #unkept = 0;

  /** Returns what undoes it, for a request that is refused. */
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

  /** Asks for everything again, in the order in which it was asked for first; what is refused stays for the next time. */
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
    if (this.#unkept === 0) return failed;
    return [...failed, { what: `${this.#unkept} subscriptions`, why: `only ${MAX_KEPT} are kept for a reconnection` }];
  }

  /** The subscriptions as they are while there is no connection. */
  without(error: unknown): readonly NotRestored[] {
    return [...this.#kept.values()].filter(({ uri }) => uri !== undefined).map((about) => notRestored(about, error));
  }

  #keep(key: string, lasting: Lasting): (() => void) | undefined {
    const before = this.#kept.get(key);
    if (!before && this.#kept.size >= MAX_KEPT) {
      this.#unkept += 1;
      return () => {
        this.#unkept -= 1;
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
