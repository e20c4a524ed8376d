import { isObject, jsonWord, oneLine } from '../../base/index.js';
import type { Params } from '../../rpc/index.js';

type Words = Readonly<Record<string, unknown>>;

/** What travels with the parameters of a request. */
export interface Beside {
  readonly progressToken: number | undefined;
  /** What a stateless server wants to hear with every request. */
  readonly envelope: Words | undefined;
  readonly meta: Words | undefined;
  /** The arguments of a tool as JSON, by whoever has written them already: then there is nothing else but the tool's name. */
  readonly argumentsText: string | undefined;
}

/** The parameters as they are sent; also as text where that takes no second writing. */
export interface Sent {
  readonly params: Params;
  readonly text?: string;
}

/** The parameters with all that travels beside them; as they are where nothing does. */
export function paramsToSend(params: Words, { progressToken, envelope, meta, argumentsText }: Beside): Sent {
  const own = isObject(params._meta) ? params._meta : undefined;
  if (envelope || own || meta) {
    const all = { ...own, ...envelope, ...meta };
    return { params: { ...params, _meta: progressToken === undefined ? all : { ...all, progressToken } } };
  }
  if (progressToken === undefined) return { params };
  const _meta = { progressToken };
  const { name, arguments: given } = params;
  if (argumentsText === undefined || typeof name !== 'string') return { params: { ...params, _meta } };
  // Most requests are this one, and a copy of what is not known costs ten times as much.
  const text = `{"name":${jsonWord(name)},"arguments":${argumentsText},"_meta":{"progressToken":${progressToken}}}`;
  return { params: { name, arguments: given, _meta }, text: oneLine(text) };
}
