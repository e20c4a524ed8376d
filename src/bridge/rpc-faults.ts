import { RpcCode, type RpcFault } from '../rpc/index.js';

/**
 * The depth at which the bridge rejects a message. It is above any useful setting and far below the depth at which
 * serializing overflows the stack. The daemon applies its own configured limit.
 */
export const MAX_READ_DEPTH = 1_000;

/** The daemon's default depth limit. It would drop a deeper response, and the request would hang. */
export const MAX_ANSWER_DEPTH = 128;

/** For a request that was sent to a daemon that was lost, and that must not be repeated. */
export const LOST: RpcFault = {
  code: RpcCode.internalError,
  message: 'the connection to the gateway was lost during this request; it may or may not have been completed',
  data: {
    code: 'CONNECTION_ERROR',
    hint: 'check whether the request took effect, then retry; the connection is restored automatically',
  },
};

/** For a request after the shutdown signal; the same text as the gateway's. */
export const ENDING: RpcFault = { code: RpcCode.internalError, message: 'the gateway is shutting down' };

/** For a request that was still running when the shutdown timeout ended. */
export const SHUTDOWN_TIMEOUT: RpcFault = {
  code: RpcCode.internalError,
  message: 'the gateway shut down during this request; it may or may not have been completed',
  data: { code: 'CANCELLED', hint: 'check whether the request took effect, then retry' },
};

/** For a request that was not sent to any daemon. */
export const NO_GATEWAY: RpcFault = {
  code: RpcCode.internalError,
  message: 'no gateway serves this client: no daemon runs, and none could be started',
  data: {
    code: 'CONNECTION_ERROR',
    hint: 'run `portolan daemon start` or see `portolan daemon logs`, then retry',
  },
};

/** For a client that requires a daemon. */
export function noGateway(why: string, hint: string | undefined): RpcFault {
  const data = { code: 'CONNECTION_ERROR', ...(hint !== undefined && { hint }) };
  return { code: RpcCode.internalError, message: `no gateway serves this client: ${why}`, data };
}

/** For a message that is not forwarded because of its depth. */
export const TOO_DEEP: RpcFault = { code: RpcCode.invalidRequest, message: 'the message is nested too deeply' };
