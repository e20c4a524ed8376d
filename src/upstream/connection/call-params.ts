import { isObject, jsonWord, oneLine } from '../../base/index.js';
import type { Params } from '../../rpc/index.js';

type Words = Readonly<Record<string, unknown>>;

/** Data that is sent together with the parameters of a request. */
export interface RequestExtras {
  readonly progressToken: number | undefined;
  /** `_meta` fields that a stateless server needs in every request. */
  readonly envelope: Words | undefined;
  readonly meta: Words | undefined;
  /** The arguments of a tool as JSON text, if the caller has it; the parameters then only have `name` and `arguments`. */
  readonly argumentsText: string | undefined;
}

/** The parameters to send, and their JSON text if it is available without serialising them again. */
export interface Sent {
  readonly params: Params;
  readonly text?: string;
}

/** Merges `_meta` into the parameters; returns them unchanged if there is nothing to add. */
export function paramsToSend(params: Words, { progressToken, envelope, meta, argumentsText }: RequestExtras): Sent {
  const own = isObject(params._meta) ? params._meta : undefined;
  if (envelope || own || meta) {
    const all = { ...own, ...envelope, ...meta };
    return { params: { ...params, _meta: progressToken === undefined ? all : { ...all, progressToken } } };
  }
  if (progressToken === undefined) return { params };
  const _meta = { progressToken };
  const { name, arguments: given } = params;
  if (argumentsText === undefined || typeof name !== 'string') return { params: { ...params, _meta } };
  // The common case. Reusing the text avoids serialising the arguments again.
  const text = `{"name":${jsonWord(name)},"arguments":${argumentsText},"_meta":{"progressToken":${progressToken}}}`;
  return { params: { name, arguments: given, _meta }, text: oneLine(text) };
}
