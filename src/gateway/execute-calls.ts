import { ErrorCode, PortolanError, unwatchAbort, watchAbort } from '../base/index.js';
import type { Conversation, ToolResult } from '../model/index.js';
import { findServerByName } from '../policy/index.js';
import type { CallDetails } from './execute.js';
import type { Gateway } from './gateway.js';

/** One of several calls in a request. */
export interface ToolCall {
  readonly server: string;
  readonly tool: string;
  readonly toolArguments: unknown;
}

/** How one of several calls ended. */
export type CallOutcome =
  | { readonly kind: 'answered'; readonly call: ToolCall; readonly result: ToolResult }
  | { readonly kind: 'failed'; readonly call: ToolCall; readonly error: PortolanError };

/**
 * Runs independent calls in parallel, each with the checks, limits and log entry of a single call. Never rejects for a call
 * that fails. The calls count as one towards the questions that servers may ask.
 */
export async function executeCalls(
  gateway: Pick<Gateway, 'executeTool' | 'view'>,
  calls: readonly ToolCall[],
  { progress, acceptsInputRequests: _, retryInput: __, ...given }: Conversation,
  details: CallDetails = {},
): Promise<readonly CallOutcome[]> {
  const conversation = { ...given, elicitations: given.elicitations ?? { count: 0 } };
  // Each call has its own signal, because calls add many listeners while they wait.
  const running = new Set<AbortController>();
  const stop = () => {
    for (const controller of running) controller.abort();
  };
  let ended = 0;
  const execute = async (call: ToolCall, shared: Conversation): Promise<CallOutcome> => {
    const controller = new AbortController();
    running.add(controller);
    const { signal } = controller;
    if (given.signal.aborted) controller.abort();
    try {
      const talk = { ...shared, signal };
      const result = await gateway.executeTool(call.server, call.tool, call.toolArguments, talk, details);
      return { kind: 'answered', call, result };
    } catch (error) {
      if (!(error instanceof PortolanError)) throw error;
      return { kind: 'failed', call, error };
    } finally {
      running.delete(controller);
      ended += 1;
      progress?.({ progress: ended, total: calls.length });
    }
  };
  watchAbort(given.signal, stop);
  /** The first call to each server that waits for approval: the user is asked once. */
  const asking = new Map<string, Promise<CallOutcome>>();
  const started = calls.map((call) => {
    const server = findServerByName(gateway.view.servers, call.server);
    if (!server || server.admitted) return execute(call, conversation);
    const first = asking.get(server.name);
    if (first)
      return first.then((outcome) => execute(call, isRefused(outcome) ? notAsked(conversation) : conversation));
    const outcome = execute(call, conversation);
    asking.set(server.name, outcome);
    return outcome;
  });
  // An internal error fails the request, but not before the other calls have ended.
  const settled = await Promise.allSettled(started).finally(() => unwatchAbort(given.signal, stop));
  return settled.map((one) => {
    if (one.status === 'fulfilled') return one.value;
    throw one.reason;
  });
}

function isRefused(outcome: CallOutcome): boolean {
  return outcome.kind === 'failed' && outcome.error.code === ErrorCode.ServerNotApproved;
}

/** A conversation in which the client cannot be asked. */
function notAsked({ capabilities: _, ...conversation }: Conversation): Conversation {
  return conversation;
}
