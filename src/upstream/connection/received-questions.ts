import { ErrorCode, isObject, PortolanError, sha256 } from '../../base/index.js';
import type { Conversation, ElicitationCount, ToolResult } from '../../model/index.js';
import { RpcCode, RpcError } from '../../rpc/index.js';
import { attributed } from './attributed-request.js';
import { PAGE_REQUIRED } from './url-elicitation.js';

type Fields = Readonly<Record<string, unknown>>;

/** Limits the questions to a person during one call. */
const MAX_ELICITATIONS = 20;
const ELICITATION = 'elicitation/create';
/** Counters for clients without one of their own, kept across the rounds of one call. */
const counted = new WeakMap<object, ElicitationCount>();

/** The server that asks and the call that caused the question. */
export interface Asker {
  readonly server: string;
  readonly conversation: Partial<Conversation>;
}

/** Marks a request of a server with the server's name. Throws an `RpcError` for the server if the limit is exceeded. */
export function markedRequest(asker: Asker, method: string, params: Fields): Fields {
  if (method === ELICITATION && !isWithinLimit(asker, 1)) throw tooManyRequests(asker);
  return attributed(asker.server, method, params);
}

/** Marks the questions in a result with the server's name. Throws if the limit is exceeded. */
export function markedResult(asker: Asker, result: ToolResult): ToolResult {
  const { value } = result;
  const task = isObject(value.task) && isObject(value.task.inputRequests) ? value.task : undefined;
  if (!isObject(value.inputRequests) && !task) return result;
  return {
    value: {
      ...value,
      ...(isObject(value.inputRequests) && { inputRequests: markedAll(asker, value.inputRequests) }),
      ...(task && { task: { ...task, inputRequests: markedAll(asker, task.inputRequests) } }),
    },
  };
}

/** Marks an error that asks to open pages with the server's name; returns other errors unchanged. */
export function markedFault(asker: Asker, error: Error): Error {
  if (!(error instanceof RpcError) || error.fault.code !== PAGE_REQUIRED || !isObject(error.fault.data)) return error;
  const { code, message, data } = error.fault;
  const pages = Array.isArray(data.elicitations) ? data.elicitations.filter(isObject) : [];
  if (!isWithinLimit(asker, pages.length)) return tooManyForCall(asker);
  try {
    const elicitations = pages.map((page) => attributed(asker.server, ELICITATION, { ...page, mode: 'url' }));
    return new RpcError(code, message, { ...data, elicitations });
  } catch (fault) {
    return fault instanceof Error ? fault : error;
  }
}

function markedAll(asker: Asker, requests: unknown): Fields {
  const entries = Object.entries(isObject(requests) ? requests : {});
  const fresh = entries.filter(([key, request]) => isElicitation(request) && !wasCounted(asker, key, request));
  if (!isWithinLimit(asker, fresh.length)) throw tooManyForCall(asker);
  const marked = entries.map(([key, request]) => {
    if (!isObject(request) || typeof request.method !== 'string') return [key, request];
    const params = isObject(request.params) ? request.params : {};
    return [key, { ...request, params: attributed(asker.server, request.method, params) }];
  });
  return Object.fromEntries(marked);
}

function isElicitation(request: unknown): boolean {
  return isObject(request) && request.method === ELICITATION;
}

/** A task repeats its questions with each status until they are answered, so count each only once. */
function wasCounted({ conversation }: Asker, key: string, request: unknown): boolean {
  const { seen } = conversation.elicitations ?? {};
  if (!seen) return false;
  const mark = sha256(JSON.stringify([key, request]));
  if (seen.has(mark)) return true;
  if (seen.size < MAX_ELICITATIONS) seen.add(mark);
  return false;
}

function isWithinLimit({ conversation }: Asker, more: number): boolean {
  const elicitations = countOf(conversation);
  elicitations.count += more;
  return more === 0 || elicitations.count <= MAX_ELICITATIONS;
}

function countOf(conversation: Partial<Conversation>): ElicitationCount {
  const known = conversation.elicitations ?? counted.get(conversation);
  if (known) return known;
  const fresh = { count: 0 };
  counted.set(conversation, fresh);
  return fresh;
}

/** The server receives the error and may continue the call without an answer. */
function tooManyRequests({ server, conversation }: Asker): RpcError {
  const message = `a server may send at most ${MAX_ELICITATIONS} elicitation requests during one call`;
  const isFirst = countOf(conversation).count === MAX_ELICITATIONS + 1;
  if (isFirst) conversation.log?.({ level: 'warning', logger: 'portolan', data: `${message}; "${server}" sent more` });
  return new RpcError(RpcCode.invalidRequest, message, { code: ErrorCode.LimitExceeded, limit: MAX_ELICITATIONS });
}

/** The server has already answered, so the call fails. */
function tooManyForCall({ server }: Asker): PortolanError {
  const sent = `the server "${server}" sent more than ${MAX_ELICITATIONS} elicitation requests during one call`;
  return new PortolanError(ErrorCode.LimitExceeded, sent, {
    hint: 'pass what it asks for as arguments, or report this to the author of the server',
  });
}
