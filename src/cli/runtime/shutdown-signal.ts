import { ErrorCode, PortolanError } from '../../base/index.js';

/** The exit codes that shells use for signals. */
const EXIT_OF_SIGNAL = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export type EndingSignal = keyof typeof EXIT_OF_SIGNAL;
export const ENDING_SIGNALS: readonly EndingSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** A shutdown signal cancelled the command. */
export class ShutdownSignalError extends PortolanError {
  readonly exitCode: number;

  constructor(signal: EndingSignal) {
    super(ErrorCode.Cancelled, `ended by ${signal}`, {
      hint: 'Completed calls are not undone; portolan audit lists them.',
    });
    this.exitCode = EXIT_OF_SIGNAL[signal];
  }
}
