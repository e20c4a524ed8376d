import type { Id, RpcFault } from '../../rpc/index.js';

/** An error as HTTP and as JSON-RPC at once: some clients read the one, some the other. */
export function faultResponse(
  status: number,
  fault: RpcFault,
  id: Id | null = null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: fault, id }, { status, headers });
}

/** What HTTP itself refuses has no code of JSON-RPC. */
export const HTTP_FAULT = -32_000;
/** What the SDKs take for a session that has ended. */
export const SESSION_GONE = -32_001;

const STATUS_OF: Readonly<Record<number, number>> = {
  [-32_601]: 404,
  [-32_020]: 400,
  [-32_021]: 400,
  [-32_022]: 400,
};

/** The status that the revision demands for an error; all others are answers like any. */
export function withStatusOf(response: Response, code: number | undefined): Response {
  const status = code === undefined ? undefined : STATUS_OF[code];
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (status === undefined || response.status !== 200 || isStream) return response;
  return new Response(response.body, { status, headers: response.headers });
}
