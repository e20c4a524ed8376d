import type { Answer } from '../base/index.js';
import type { Gateway } from '../gateway/index.js';
import type { Conversation } from '../model/index.js';
import { passed } from './answers.js';

interface Watched {
  readonly server: string;
  readonly uri: string;
  readonly watchers: Set<string>;
  /** Keeps the server from being stopped while somebody wants to hear of it. */
  hold: Disposable | undefined;
}

const MAX_WATCHED = 10_000;

/** Who wants to hear of which resource. All share one connection to a server: it is told of the first who comes and the last who goes. */
export class ResourceWatchers {
  readonly #gateway: Gateway;
  readonly #watched = new Map<string, Watched>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  async subscribe(server: string, uri: string, conversation: Conversation): Promise<Answer> {
    const key = JSON.stringify([server, uri]);
    const held = this.#watched.get(key);
    if (held) {
      held.watchers.add(callerOf(conversation));
      return { value: {} };
    }
    const answer = passed(await this.#gateway.request(server, 'resources/subscribe', { uri }, conversation));
    if (this.#watched.size < MAX_WATCHED) {
      const watched: Watched = { server, uri, watchers: new Set([callerOf(conversation)]), hold: undefined };
      this.#watched.set(key, watched);
      watched.hold = await this.#gateway.hold(server).catch(() => undefined);
    }
    return answer;
  }

  async unsubscribe(server: string, uri: string, conversation: Conversation): Promise<Answer> {
    const key = JSON.stringify([server, uri]);
    const held = this.#watched.get(key);
    held?.watchers.delete(callerOf(conversation));
    if (held && held.watchers.size > 0) return { value: {} };
    this.#drop(key);
    return passed(await this.#gateway.request(server, 'resources/unsubscribe', { uri }, conversation));
  }

  /** A client is gone, and with it all that it wanted to hear. */
  left(caller: string): void {
    const nobody: Conversation = { client: caller, signal: new AbortController().signal };
    for (const { server, uri, watchers } of [...this.#watched.values()]) {
      if (watchers.has(caller)) this.unsubscribe(server, uri, nobody).catch(() => undefined);
    }
  }

  #drop(key: string): void {
    this.#watched.get(key)?.hold?.[Symbol.dispose]();
    this.#watched.delete(key);
  }
}

function callerOf({ caller, client }: Conversation): string {
  return caller ?? client;
}
