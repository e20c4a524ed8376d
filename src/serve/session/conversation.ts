import { isObject } from '../../base/index.js';
import { ABILITY_FOR, type Conversation, type Era, META } from '../../model/index.js';
import { type Id, type Peer, RpcCode, RpcError } from '../../rpc/index.js';
import type { OtherClients } from './other-clients.js';

/** One request, as far as it says how it is to be spoken about. */
export interface RequestContext {
  readonly id: Id;
  readonly params: Readonly<Record<string, unknown>>;
  readonly era: Era;
  readonly signal: AbortSignal;
}

/** What holds for all requests of a client, until it says something new about itself. */
export interface ClientTraits {
  readonly client: string;
  /** Sets this connection apart from others. */
  readonly label?: string | undefined;
  /** The connection itself, for servers that are shared with nobody. */
  readonly session?: string | undefined;
  /** Others may come under the same name. */
  readonly isStateless?: boolean | undefined;
  /** What the client said it can do when it introduced itself. */
  readonly abilities: Readonly<Record<string, unknown>>;
  readonly logLevel: string | undefined;
  readonly others?: OtherClients | undefined;
  readonly lostState?: boolean | undefined;
}

interface Connected extends Pick<ClientTraits, 'label' | 'lostState' | 'isStateless'> {
  readonly principal?: string;
  readonly routes?: { readonly others: OtherClients };
}

export function standingOf(
  { label, principal, lostState, isStateless, routes }: Connected,
  client: string,
  abilities: ClientTraits['abilities'] = {},
  logLevel?: string,
): ClientTraits {
  const session = principal ?? label;
  return { client, label, session, isStateless, lostState, abilities, logLevel, others: routes?.others };
}

/** What a running request may ask of its client and tell it, in the client's own era. */
export function conversationWith(
  peer: Peer,
  send: (method: string, told: Readonly<Record<string, unknown>>) => void,
  standing: ClientTraits,
  asked: RequestContext,
): Conversation {
  const { logLevel, session, lostState, isStateless, others } = standing;
  const { id, params, era, signal } = asked;
  const meta = isObject(params._meta) ? params._meta : NO_META;
  const { progressToken } = meta;
  const tell = (method: string, told: Readonly<Record<string, unknown>>) => {
    if (!signal.aborted) send(method, told);
  };
  const isProgressWanted = typeof progressToken === 'string' || typeof progressToken === 'number';
  const wantedLevel = era === 'legacy' ? logLevel : meta[META.logLevel];
  const isLogWanted = era === 'legacy' || wantedLevel !== undefined;
  const who: Who = era === 'legacy' ? standing : introduced(standing, id, meta);
  // Written out, because every call makes one: an object put together from pieces costs more than all that is in it.
  return {
    client: who.client,
    caller: who.caller,
    abilities: who.abilities,
    signal,
    session,
    stateKey: isStateless ? undefined : session,
    lostState,
    progress: isProgressWanted ? (step) => tell('notifications/progress', { ...step, progressToken }) : undefined,
    // One of the newer kind is asked in its own way; what is left are the others.
    ask: era === 'legacy' ? askOver(peer, standing, signal, id) : others && askOthers(others, signal),
    lent: era === 'legacy' ? others?.abilities : undefined,
    logLevel: typeof wantedLevel === 'string' ? wantedLevel : undefined,
    log: isLogWanted
      ? (entry) => {
          if (isLoudEnough(entry.level, wantedLevel)) tell('notifications/message', entry);
        }
      : undefined,
  };
}

type Who = Pick<Conversation, 'client' | 'caller' | 'abilities'>;

const NO_META: Readonly<Record<string, unknown>> = {};

const LEVELS: readonly unknown[] = [
  ...['debug', 'info', 'notice', 'warning'],
  ...['error', 'critical', 'alert', 'emergency'],
];

/** Where no level was asked for, or one that nobody knows, everything is. */
export function isLoudEnough(level: unknown, least: unknown): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}

/** A client by its name and its connection: whoever chooses the one cannot choose the other. */
export function labelled(name: string, label: string | undefined): string {
  return label === undefined ? plainName(name) : `${plainName(name)}#${label}`;
}

function plainName(name: string): string {
  return name.replaceAll('#', '');
}

/** Signals of requests whose client was asked something: what is open then ends with the request. */
const askedThrough = new WeakSet<AbortSignal>();

export function wasAskedThrough(signal: AbortSignal): boolean {
  return askedThrough.has(signal);
}

/** A client of the newer era says with each request who it is. */
function introduced(
  { client, label, isStateless }: ClientTraits,
  id: Id,
  meta: Readonly<Record<string, unknown>>,
): Who {
  const told = meta[META.client];
  const info = isObject(told) ? told : {};
  const own = meta[META.abilities];
  // Each request stands for itself: two of them may not be taken for one caller.
  const said = typeof info.name === 'string' ? info.name.slice(0, 100) : undefined;
  const name = said ?? client;
  return {
    // One that comes anew with each request is told apart by its name alone.
    client: isStateless ? plainName(name) : said === undefined ? client : labelled(said, label),
    caller: `${name}@${label === undefined ? '' : `${label}.`}${JSON.stringify(id)}`,
    abilities: isObject(own) ? own : {},
  };
}

/** Puts questions to a client of the older kind, on the connection on which it called. */
export function askOver(
  peer: Peer,
  { abilities, others }: Pick<ClientTraits, 'abilities' | 'others'>,
  signal: AbortSignal,
  id?: Id,
): NonNullable<Conversation['ask']> {
  return async (method, params) => {
    askedThrough.add(signal);
    const ability = ABILITY_FOR[method];
    if (ability === undefined || abilities[ability] === undefined) {
      if (others) return others.ask(method, params, signal);
      throw cannotDo(method);
    }
    const { id: asked, answer } = peer.request(method, params, id === undefined ? {} : { about: id });
    const giveUp = () => {
      peer.forget(asked, new RpcError(RpcCode.internalError, 'the call was cancelled'));
      peer.notify('notifications/cancelled', { requestId: asked }, id);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const { result } = await answer;
      return isObject(result) ? result : {};
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  };
}

function askOthers(others: OtherClients, signal: AbortSignal): NonNullable<Conversation['ask']> {
  return (method, params) => {
    askedThrough.add(signal);
    return others.ask(method, params, signal);
  };
}

/** What a server hears whose question nobody can answer. */
export function cannotDo(method: string): RpcError {
  return new RpcError(RpcCode.methodNotFound, `the client cannot do ${method}`);
}
