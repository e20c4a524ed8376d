import { type LargeMessage, readMessage, type StreamLimits } from '../../rpc/index.js';
import { eventLimit } from './event-limit.js';
import type { Fetch } from './remote-fetch.js';

/** It says that nothing follows, whatever else it says. */
const ACCEPTED = 202;

/** A message that was too large to keep, and whom it was for if that can be told. */
export interface OversizedMessage extends LargeMessage {
  readonly bytes: number;
}

export interface AnswerEvents {
  overlong(one: OversizedMessage): void;
  /** What answers a request begins to come: in a stream, or all of it in one body. */
  begun?(id: string | number, isStream: boolean): void;
}

/** Reads no more of an answer than may be kept: a JSON body, or one event of a stream. */
export function boundedFetch(fetch: Fetch, limits: () => StreamLimits, events: AnswerEvents): Fetch {
  const overlong = (one: OversizedMessage) => events.overlong(one);
  return async (url, init) => {
    const response = await fetch(url, init);
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    const id = requestId(init?.body);
    if (id !== undefined) events.begun?.(id, isStream && response.status !== ACCEPTED);
    if (!response.body) return response;
    const maxBytes = limits().maxLineBytes;
    const limit = isStream
      ? eventLimit({
          maxBytes,
          // A stream that answers one request has no more to say; the one on which everything comes must go on.
          after: id === undefined ? 'skip' : 'end',
          // All that answers in such a stream answers its request.
          overlong: (bytes, about) => overlong({ bytes, ...about, id: about.isRequest ? about.id : (id ?? about.id) }),
        })
      : bodyLimit(maxBytes, (bytes) => overlong({ bytes, id, isRequest: false }));
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
  };
}

function bodyLimit(maxBytes: number, overlong: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= maxBytes) return controller.enqueue(chunk);
      overlong(bytes);
      controller.terminate();
    },
  });
}

/** The id of the request that this body is, so that its caller learns that the answer was too large. */
function requestId(body: unknown): string | number | undefined {
  if (typeof body !== 'string') return undefined;
  const message = readMessage(JSON.parse(body));
  return message.kind === 'request' ? message.id : undefined;
}
