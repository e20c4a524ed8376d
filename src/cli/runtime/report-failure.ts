import { ErrorCode, PortolanError } from '../../base/index.js';
import { EXIT, type Io } from './command.js';
import { ShutdownSignalError } from './shutdown-signal.js';

const EXIT_OF: Readonly<Partial<Record<ErrorCode, number>>> = {
  [ErrorCode.TerminalNeeded]: EXIT.terminalNeeded,
  [ErrorCode.Cancelled]: EXIT.failed,
  [ErrorCode.ToolDisabled]: EXIT.failed,
  [ErrorCode.ServerNotApproved]: EXIT.failed,
  [ErrorCode.ServerBlocked]: EXIT.failed,
  [ErrorCode.ConnectionError]: EXIT.failed,
  [ErrorCode.ToolExecutionError]: EXIT.failed,
  [ErrorCode.ToolExecutionTimeout]: EXIT.failed,
  [ErrorCode.ResultTooLarge]: EXIT.failed,
  [ErrorCode.LimitExceeded]: EXIT.failed,
  [ErrorCode.SandboxUnavailable]: EXIT.failed,
};

/** With which code a command ends that failed like this, unless it says otherwise itself. */
export function exitOf(error: PortolanError): number {
  return error instanceof ShutdownSignalError ? error.exitCode : (EXIT_OF[error.code] ?? EXIT.usage);
}

/** What failed, for a program that reads stdout and finds one document there whatever happens. */
export function failureJson({ code, message, hint }: PortolanError, about: Readonly<Record<string, string>>): string {
  return JSON.stringify({ success: false, error: { code, message, ...about, ...(hint && { hint }) } }, null, 2);
}

/** Prints what was read or, as JSON too, why it could not be; gives the code to end with. */
export async function printJson(
  read: () => Promise<unknown>,
  about: Readonly<Record<string, string>>,
  io: Io,
): Promise<number> {
  try {
    io.out(JSON.stringify(await read(), null, 2));
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof PortolanError)) throw error;
    io.out(failureJson(error, about));
    return exitOf(error);
  }
}
