import { type Id, isObject, type Peer, RpcCode, RpcError } from '../base/index.js';
import { ABILITY_FOR, type Conversation, type Era, META } from '../model/index.js';

export interface Circumstances {
  readonly id: Id;
  readonly params: Readonly<Record<string, unknown>>;
  readonly era: Era;
  readonly signal: AbortSignal;
  readonly client: string;
  /** Sets this connection apart from others. */
  readonly label?: string | undefined;
  /** The connection itself, for servers that are shared with nobody. */
  readonly session?: string | undefined;
  /** What the client said it can do when it introduced itself. */
  readonly abilities: Readonly<Record<string, unknown>>;
  readonly logLevel: string | undefined;
}

/** What a running request may ask of its client and tell it, in the client's own era. */
export function conversationWith(
  peer: Peer,
  send: (method: string, told: Readonly<Record<string, unknown>>) => void,
  circumstances: Circumstances,
): Conversation {
  const { params, era, signal, logLevel, session } = circumstances;
  const meta = isObject(params._meta) ? params._meta : {};
  const { progressToken } = meta;
  const tell = (method: string, told: Readonly<Record<string, unknown>>) => {
    if (!signal.aborted) send(method, told);
  };
  const isProgressWanted = typeof progressToken === 'string' || typeof progressToken === 'number';
  const wantedLevel = era === 'legacy' ? logLevel : meta[META.logLevel];
  const isLogWanted = era === 'legacy' || wantedLevel !== undefined;
  return {
    ...introduced(circumstances, meta),
    signal,
    ...(session !== undefined && { session }),
    ...(isProgressWanted && { progress: (step) => tell('notifications/progress', { ...step, progressToken }) }),
    ...(era === 'legacy' && { ask: askOver(peer, circumstances) }),
    ...(typeof wantedLevel === 'string' && { logLevel: wantedLevel }),
    ...(isLogWanted && {
      log: (entry) => {
        if (isLoudEnough(entry.level, wantedLevel)) tell('notifications/message', entry);
      },
    }),
  };
}

const LEVELS: readonly unknown[] = [
  ...['debug', 'info', 'notice', 'warning'],
  ...['error', 'critical', 'alert', 'emergency'],
];

/** Where no level was asked for, or one that nobody knows, everything is. */
function isLoudEnough(level: unknown, least: unknown): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}

function introduced(
  { era, client, abilities, ...rest }: Circumstances,
  meta: Readonly<Record<string, unknown>>,
): Pick<Conversation, 'client' | 'caller' | 'abilities'> {
  if (era === 'legacy') return { client, abilities };
  const told = meta[META.client];
  const info = isObject(told) ? told : {};
  const own = meta[META.abilities];
  // Each request stands for itself: two of them may not be taken for one caller.
  const name = typeof info.name === 'string' ? info.name.slice(0, 100) : client;
  return {
    client: name,
    caller: `${name}@${rest.label === undefined ? '' : `${rest.label}.`}${String(rest.id)}`,
    abilities: isObject(own) ? own : {},
  };
}

/** Puts questions to a client of the older kind, on the connection on which it called. */
function askOver(peer: Peer, { id, signal, abilities }: Circumstances): NonNullable<Conversation['ask']> {
  return async (method, params) => {
    const ability = ABILITY_FOR[method];
    if (ability === undefined || abilities[ability] === undefined)
      throw new RpcError(RpcCode.methodNotFound, `the client cannot do ${method}`);
    const { id: asked, answer } = peer.request(method, params, { about: id });
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
