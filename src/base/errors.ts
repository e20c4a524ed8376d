/** Stable codes of errors that a user or a model can fix. A code never changes its meaning. */
export const ErrorCode = {
  Cancelled: 'CANCELLED',
  ConfigNotFound: 'CONFIG_NOT_FOUND',
  ServerNotFound: 'SERVER_NOT_FOUND',
  TerminalNeeded: 'TERMINAL_NEEDED',
  UnknownClient: 'UNKNOWN_CLIENT',
  Usage: 'USAGE',
  EditRefused: 'EDIT_REFUSED',
  FileChanged: 'FILE_CHANGED',
  NameTaken: 'NAME_TAKEN',
  NotInstallable: 'NOT_INSTALLABLE',
  WriteFailed: 'WRITE_FAILED',
  WriteRefused: 'WRITE_REFUSED',
  SettingsInvalid: 'SETTINGS_INVALID',
  InvalidPattern: 'INVALID_PATTERN',
  ToolNotFound: 'TOOL_NOT_FOUND',
  ToolDisabled: 'TOOL_DISABLED',
  ServerNotApproved: 'SERVER_NOT_APPROVED',
  ServerBlocked: 'SERVER_BLOCKED',
  ToolValidationError: 'TOOL_VALIDATION_ERROR',
  ToolExecutionError: 'TOOL_EXECUTION_ERROR',
  ToolExecutionTimeout: 'TOOL_EXECUTION_TIMEOUT',
  ConnectionError: 'CONNECTION_ERROR',
  ResultTooLarge: 'RESULT_TOO_LARGE',
  LimitExceeded: 'LIMIT_EXCEEDED',
  SandboxUnavailable: 'SANDBOX_UNAVAILABLE',
  MemoryNotFound: 'MEMORY_NOT_FOUND',
} as const;
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

const CODES: ReadonlySet<unknown> = new Set(Object.values(ErrorCode));

/** Whether a value from another process is one of the codes. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return CODES.has(code);
}

/** An error that a user or a model can fix. Any other exception is a bug in Portolan. */
export class PortolanError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PortolanError';
    this.code = code;
    this.hint = options.hint;
  }
}

/** Ends a switch over a union, so that the compiler reports a missing case. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}

/** The `code` of an error of Node, such as `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
