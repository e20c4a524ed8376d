import { ErrorCode, PortolanError } from '../../base/index.js';
import { EXIT, type Io } from './command.js';
import { ShutdownSignalError } from './shutdown-signal.js';
import { paint, visible } from './terminal-text.js';

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

/** The exit code for an error. */
export function exitOf(error: PortolanError): number {
  return error instanceof ShutdownSignalError ? error.exitCode : (EXIT_OF[error.code] ?? EXIT.usage);
}

/** An error as the JSON document of stdout. */
export function failureJson({ code, message, hint }: PortolanError, about: Readonly<Record<string, string>>): string {
  return JSON.stringify({ success: false, error: { code, message, ...about, ...(hint && { hint }) } }, null, 2);
}

/** An error as lines for stderr. The message may quote files, so control characters are escaped. */
export function failureText({ code, message, hint }: PortolanError, io: Io): string {
  const shown = `${message}${hint ? `\n  ${hint}` : ''}`.split('\n').map(visible).join('\n');
  return `${paint(io, 'red', code)}: ${shown}`;
}

/** Prints the value, or the error, as JSON; returns the exit code. */
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
