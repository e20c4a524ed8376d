import { RpcCode, type RpcFault } from '../rpc/index.js';

/** Deeper than any setting needs, and far from where what was parsed cannot be written again; the daemon's own limit is a setting, and it refuses by it. */
export const MAX_READ_DEPTH = 1_000;

/** The daemon's own limit where none is set: it would refuse a deeper answer and leave waiting who asked. */
export const MAX_ANSWER_DEPTH = 128;

/** For what a daemon had been asked when it was lost, and what is not asked again. */
export const LOST: RpcFault = {
  code: RpcCode.internalError,
  message: 'the gateway was lost while this ran, and it is not known whether it was done',
  data: {
    code: 'CONNECTION_ERROR',
    hint: 'the gateway is back or will be soon: look what was done, then try again',
  },
};

/** For what is asked after we were told to end: the gateway's own words. */
export const ENDING: RpcFault = { code: RpcCode.internalError, message: 'the gateway is shutting down' };

/** For what took longer than an end in order may take. */
export const CUT_OFF: RpcFault = {
  code: RpcCode.internalError,
  message: 'the gateway was told to end while this ran, and it is not known whether it was done',
  data: { code: 'CANCELLED', hint: 'look what was done, then try again' },
};

/** For what nobody was asked. */
export const NO_GATEWAY: RpcFault = {
  code: RpcCode.internalError,
  message: 'no gateway serves this client: none runs, and none could be started',
  data: {
    code: 'CONNECTION_ERROR',
    hint: 'start one with `portolan daemon start`, or see `portolan daemon logs`; then try again',
  },
};

/** For what is asked by a client that is served by a daemon or not at all. */
export function noGateway(why: string, hint: string | undefined): RpcFault {
  const data = { code: 'CONNECTION_ERROR', ...(hint !== undefined && { hint }) };
  return { code: RpcCode.internalError, message: `no gateway serves this client: ${why}`, data };
}

/** For what is not passed on at all. */
export const TOO_DEEP: RpcFault = { code: RpcCode.invalidRequest, message: 'the message is nested too deep' };
