import type { Id, RpcFault } from '../../rpc/index.js';

/** An error both as an HTTP status and as JSON-RPC, because clients differ in which of them they read. */
export function faultResponse(
  status: number,
  fault: RpcFault,
  id: Id | null = null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: fault, id }, { status, headers });
}

/** The code for refusals by HTTP itself, which have no JSON-RPC code. */
export const HTTP_FAULT = -32_000;
/** The code that SDKs treat as an ended session. */
export const SESSION_GONE = -32_001;

const STATUS_OF: Readonly<Record<number, number>> = {
  [-32_601]: 404,
  [-32_020]: 400,
  [-32_021]: 400,
  [-32_022]: 400,
};

/** The status that the revision requires for some errors; other responses have status 200. */
export function withStatusOf(response: Response, code: number | undefined): Response {
  const status = code === undefined ? undefined : STATUS_OF[code];
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (status === undefined || response.status !== 200 || isStream) return response;
  return new Response(response.body, { status, headers: response.headers });
}
