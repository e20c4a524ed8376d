import { ErrorCode, isErrorCode, isObject, PortolanError } from '../base/index.js';
import type { PythonRun, SearchAnswer, ToolDetails, ToolList } from '../gateway/index.js';
import type { Progress } from '../model/index.js';
import type { CommandMethod, CommandParams } from './command-params.js';

/** An error between two processes. */
export interface ErrorFacts {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
}

interface CommandAnswers {
  readonly 'command/servers': { readonly count: number };
  readonly 'command/search': { readonly answer: SearchAnswer; readonly waiting: readonly string[] };
  readonly 'command/tools': ToolList;
  /** `refusal` is the error that a call would return. */
  readonly 'command/inspect': { readonly details: ToolDetails; readonly refusal?: ErrorFacts };
  readonly 'command/call': Readonly<Record<string, unknown>>;
  readonly 'command/python': PythonRun;
}
export type CommandAnswer<M extends CommandMethod> = CommandAnswers[M];

/** What accompanies a request of a command. */
export interface CommandContext {
  readonly signal: AbortSignal;
  readonly progress?: ((step: Progress) => void) | undefined;
  /** The connection of the command to the daemon, for servers that are not shared. */
  readonly session?: string | undefined;
}

/** A gateway as the terminal commands use it. */
export interface CommandGateway extends AsyncDisposable {
  ask<M extends CommandMethod>(method: M, params: CommandParams<M>, context: CommandContext): Promise<CommandAnswer<M>>;
}

/** The description of an error for another process. */
export function factsOf({ code, message, hint }: PortolanError): ErrorFacts {
  return { code, message, ...(hint !== undefined && { hint }) };
}

/** The error that `factsOf` described. */
export function errorFrom(facts: unknown): PortolanError {
  const { code, message, hint } = isObject(facts) ? facts : {};
  return new PortolanError(
    isErrorCode(code) ? code : ErrorCode.ConnectionError,
    typeof message === 'string' ? message : 'the daemon reported an error without a message',
    typeof hint === 'string' ? { hint } : {},
  );
}
