import { isDeeperThan, readJson } from '../../base/index.js';
import { RpcCode, readMessage, type StreamLimits } from '../../rpc/index.js';
import { faultResponse, HTTP_FAULT } from './rpc-response.js';

/** The parsed body, in which every message can be answered, or the refusal. */
export type Body =
  | { readonly kind: 'read'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly response: Response };

/** The maximum number of messages in a batch. */
const MAX_BATCH = 100;

/** Stops reading at the size limit, and checks the nesting depth before parsing. */
export async function readBody(request: Request, { maxLineBytes, maxDepth }: StreamLimits): Promise<Body> {
  const bytes = await readBytes(request, maxLineBytes);
  if (bytes === undefined)
    return refused(413, { code: HTTP_FAULT, message: `the message is larger than ${maxLineBytes} bytes` });
  if (isDeeperThan(bytes, maxDepth))
    return refused(400, {
      code: RpcCode.invalidRequest,
      message: `the message is nested deeper than ${maxDepth} levels`,
    });
  let value: unknown;
  try {
    value = readJson(bytes.toString());
  } catch {
    return refused(400, { code: RpcCode.parseError, message: 'not valid JSON' });
  }
  if (Array.isArray(value) && value.length > MAX_BATCH)
    return refused(400, { code: RpcCode.invalidRequest, message: `the batch has more than ${MAX_BATCH} messages` });
  for (const message of Array.isArray(value) ? value : [value]) {
    const read = readMessage(message);
    // The transports send no response to such a message, and its client would wait forever.
    if (read.kind === 'invalid')
      return { kind: 'refused', response: faultResponse(400, read.fault, Array.isArray(value) ? null : read.id) };
  }
  return { kind: 'read', value };
}

function refused(status: number, fault: { readonly code: number; readonly message: string }): Body {
  return { kind: 'refused', response: faultResponse(status, fault) };
}

async function readBytes({ body, headers }: Request, most: number): Promise<Buffer | undefined> {
  if (!body) return Buffer.alloc(0);
  const reader = body.getReader();
  const parts: Uint8Array[] = [];
  let bytes = Number(headers.get('content-length')) > most ? Number.POSITIVE_INFINITY : 0;
  while (bytes <= most) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(parts);
    parts.push(value);
    bytes += value.byteLength;
  }
  await reader.cancel();
  return undefined;
}
