import type { Gateway } from '../../gateway/index.js';
import type { Conversation, Era } from '../../model/index.js';
import type { Answer } from '../../rpc/index.js';
import { passed } from './mcp-answers.js';

interface Watched {
  readonly server: string;
  readonly uri: string;
  /** Of the subscribers: clients of different eras may use different processes of the server. */
  readonly era: Era | undefined;
  readonly watchers: Set<string>;
  /** Keeps the server from being stopped as idle while there are subscribers. */
  hold: Promise<Disposable | undefined>;
}

const MAX_WATCHED = 10_000;

/** The subscribers of each resource. They share a connection, so only the last unsubscribe is forwarded. */
export class ResourceWatchers {
  readonly #gateway: Gateway;
  readonly #watched = new Map<string, Watched>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** Subscribes at the server each time, because it may have restarted since the last subscription. */
  async subscribe(server: string, uri: string, conversation: Conversation): Promise<Answer> {
    const caller = callerOf(conversation);
    const { era } = conversation;
    // Added before the first await, so that neither of two simultaneous subscribers is lost.
    this.#watchedOf(server, uri, era)?.watchers.add(caller);
    try {
      return passed(await this.#gateway.request(server, 'resources/subscribe', { uri }, conversation));
    } catch (error) {
      this.#remove(server, uri, era, caller);
      throw error;
    }
  }

  async unsubscribe(server: string, uri: string, conversation: Conversation): Promise<Answer> {
    const isLast = this.#remove(server, uri, conversation.era, callerOf(conversation));
    if (!isLast) return { value: {} };
    return passed(await this.#gateway.request(server, 'resources/unsubscribe', { uri }, conversation));
  }

  /** Removes all subscriptions of a disconnected client. */
  left(caller: string): void {
    const { signal } = new AbortController();
    for (const { server, uri, era, watchers } of [...this.#watched.values()]) {
      if (watchers.has(caller)) this.unsubscribe(server, uri, { client: caller, signal, era }).catch(() => undefined);
    }
  }

  #watchedOf(server: string, uri: string, era: Era | undefined): Watched | undefined {
    const key = JSON.stringify([server, uri, era]);
    const held = this.#watched.get(key);
    if (!held && this.#watched.size >= MAX_WATCHED) return undefined;
    const hold = this.#gateway.hold(server, era).catch(() => undefined);
    if (held) {
      // The old lease does not keep a restarted server open.
      release(held.hold);
      held.hold = hold;
      return held;
    }
    const watched: Watched = { server, uri, era, watchers: new Set(), hold };
    this.#watched.set(key, watched);
    return watched;
  }

  /** Returns true if no subscriber is left. */
  #remove(server: string, uri: string, era: Era | undefined, caller: string): boolean {
    const key = JSON.stringify([server, uri, era]);
    const watched = this.#watched.get(key);
    watched?.watchers.delete(caller);
    if (!watched || watched.watchers.size > 0) return watched === undefined;
    this.#watched.delete(key);
    release(watched.hold);
    return true;
  }
}

function release(hold: Watched['hold']): void {
  void hold.then((held) => held?.[Symbol.dispose]());
}

function callerOf({ caller, client }: Conversation): string {
  return caller ?? client;
}
