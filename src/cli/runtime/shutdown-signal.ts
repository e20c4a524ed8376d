import { ErrorCode, PortolanError } from '../../base/index.js';

/** What shells expect of a command that a signal ended. */
const EXIT_OF_SIGNAL = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export type EndingSignal = keyof typeof EXIT_OF_SIGNAL;
export const ENDING_SIGNALS: readonly EndingSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Why a command did not do what was asked: somebody does not want it any more. */
export class ShutdownSignalError extends PortolanError {
  readonly exitCode: number;

  constructor(signal: EndingSignal) {
    super(ErrorCode.Cancelled, `ended by ${signal}`, {
      hint: 'what was done by then stays done; portolan audit shows the calls',
    });
    this.exitCode = EXIT_OF_SIGNAL[signal];
  }
}
