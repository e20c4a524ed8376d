import { type LargeMessage, readMessage, type StreamLimits } from '../../rpc/index.js';
import { eventLimit } from './event-limit.js';
import type { Fetch } from './remote-fetch.js';

/** HTTP 202: no answer follows, whatever the content type. */
const ACCEPTED = 202;

/** An oversized message, with its request id if known. */
export interface OversizedMessage extends LargeMessage {
  readonly bytes: number;
}

export interface AnswerEvents {
  overlong(one: OversizedMessage): void;
  /** The response to a request has begun, as a stream or as one body. */
  begun?(id: string | number, isStream: boolean): void;
}

/** Limits the size of a JSON body and of each event of a stream. */
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
          // A stream for one request ends with its answer; the general stream must continue.
          after: id === undefined ? 'skip' : 'end',
          // Any response in such a stream belongs to its request.
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

/** The id of the request in this body, so that an oversized answer can be reported to its caller. */
function requestId(body: unknown): string | number | undefined {
  if (typeof body !== 'string') return undefined;
  const message = readMessage(JSON.parse(body));
  return message.kind === 'request' ? message.id : undefined;
}
