import { isObject, unwatchAbort, watchAbort } from '../../base/index.js';
import { CAPABILITY_FOR, type Conversation, type Era, META } from '../../model/index.js';
import { type Id, type Peer, RpcCode, RpcError } from '../../rpc/index.js';
import type { OtherClients } from './other-clients.js';

/** The parts of one request that its conversation needs. */
export interface RequestContext {
  readonly id: Id;
  readonly params: Readonly<Record<string, unknown>>;
  readonly era: Era;
  readonly signal: AbortSignal;
}

/** The properties that all requests of a client share, until the client changes one. */
export interface ClientTraits {
  readonly client: string;
  /** Distinguishes this connection from others of the same client. */
  readonly label?: string | undefined;
  /** The identity of the connection, for servers that are not shared. */
  readonly session?: string | undefined;
  /** Several clients may use the same name. */
  readonly isStateless?: boolean | undefined;
  /** The capabilities that the client declared on `initialize`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly logLevel: string | undefined;
  readonly others?: OtherClients | undefined;
  readonly lostState?: boolean | undefined;
}

interface Connected extends Pick<ClientTraits, 'label' | 'lostState' | 'isStateless'> {
  readonly principal?: string;
  readonly routes?: { readonly others: OtherClients };
}

export function traitsOf(
  { label, principal, lostState, isStateless, routes }: Connected,
  client: string,
  capabilities: ClientTraits['capabilities'] = {},
  logLevel?: string,
): ClientTraits {
  const session = principal ?? label;
  return { client, label, session, isStateless, lostState, capabilities, logLevel, others: routes?.others };
}

/** Builds the conversation of a request: what it may ask of its client and send to it, in the client's era. */
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
  // A literal, because every call creates one and spreading objects is measurably slower.
  return {
    client: who.client,
    caller: who.caller,
    capabilities: who.capabilities,
    signal,
    era,
    session,
    stateKey: isStateless ? undefined : session,
    lostState,
    progress: isProgressWanted ? (step) => tell('notifications/progress', { ...step, progressToken }) : undefined,
    // A modern client gets questions in the response instead; `ask` reaches only other clients.
    ask: era === 'legacy' ? requestFromClient(peer, standing, signal, id) : others && askOthers(others, signal),
    otherCapabilities: era === 'legacy' ? others?.capabilities : undefined,
    logLevel: typeof wantedLevel === 'string' ? wantedLevel : undefined,
    log: isLogWanted
      ? (entry) => {
          if (isLevelWanted(entry.level, wantedLevel)) tell('notifications/message', entry);
        }
      : undefined,
  };
}

type Who = Pick<Conversation, 'client' | 'caller' | 'capabilities'>;

const NO_META: Readonly<Record<string, unknown>> = {};

const LEVELS: readonly unknown[] = [
  ...['debug', 'info', 'notice', 'warning'],
  ...['error', 'critical', 'alert', 'emergency'],
];

/** Without a wanted level, or with an unknown one, every message is sent. */
export function isLevelWanted(level: unknown, least: unknown): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}

/** The client's own name and our label for the connection. Names contain no `#`, so a client cannot forge a label. */
export function labelled(name: string, label: string | undefined): string {
  return label === undefined ? plainName(name) : `${plainName(name)}#${label}`;
}

function plainName(name: string): string {
  return name.replaceAll('#', '');
}

/** Signals of requests during which the client was asked a question; open questions end with the request. */
const askedThrough = new WeakSet<AbortSignal>();

export function hasAskedClient(signal: AbortSignal): boolean {
  return askedThrough.has(signal);
}

/** A modern client sends its name and capabilities with each request. */
function introduced(
  { client, label, isStateless }: ClientTraits,
  id: Id,
  meta: Readonly<Record<string, unknown>>,
): Who {
  const told = meta[META.client];
  const info = isObject(told) ? told : {};
  const own = meta[META.capabilities];
  // Each request is a caller of its own, so that two requests are never treated as one.
  const sentName = typeof info.name === 'string' ? info.name.slice(0, 100) : undefined;
  const name = sentName ?? client;
  return {
    // A stateless client has no connection, so only its name identifies it.
    client: isStateless ? plainName(name) : sentName === undefined ? client : labelled(sentName, label),
    caller: `${name}@${label === undefined ? '' : `${label}.`}${JSON.stringify(id)}`,
    capabilities: isObject(own) ? own : {},
  };
}

/** Sends questions to a legacy client on the connection of its call. */
export function requestFromClient(
  peer: Peer,
  { capabilities, others }: Pick<ClientTraits, 'capabilities' | 'others'>,
  signal: AbortSignal,
  id?: Id,
): NonNullable<Conversation['ask']> {
  return async (method, params) => {
    askedThrough.add(signal);
    const capability = CAPABILITY_FOR[method];
    if (capability === undefined || capabilities[capability] === undefined) {
      if (others) return others.ask(method, params, signal);
      throw unsupportedByClient(method);
    }
    const { id: asked, answer } = peer.request(method, params, id === undefined ? {} : { about: id });
    const giveUp = () => {
      peer.forget(asked, new RpcError(RpcCode.internalError, 'the call was cancelled'));
      peer.notify('notifications/cancelled', { requestId: asked }, id);
    };
    watchAbort(signal, giveUp);
    try {
      const { result } = await answer;
      return isObject(result) ? result : {};
    } finally {
      unwatchAbort(signal, giveUp);
    }
  };
}

function askOthers(others: OtherClients, signal: AbortSignal): NonNullable<Conversation['ask']> {
  return (method, params) => {
    askedThrough.add(signal);
    return others.ask(method, params, signal);
  };
}

/** The error for a server whose question no client can answer. */
export function unsupportedByClient(method: string): RpcError {
  return new RpcError(RpcCode.methodNotFound, `the client does not support ${method}`);
}
