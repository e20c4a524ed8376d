import { ErrorCode, isObject, PortolanError } from '../../base/index.js';
import type { Era, ToolResult } from '../../model/index.js';
import { type Answer, RpcCode, RpcError } from '../../rpc/index.js';

const MAX_NAME_CHARACTERS = 100;

/** The answer as compact JSON for a model, and the same as a value for a program. */
export function structured(value: object): Answer {
  return { value: { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value } };
}

/** What the model can mend, as a result. */
export function failed({ code, message, hint }: PortolanError, about: unknown): Answer {
  const { server, tool } = isObject(about) ? about : {};
  const value = {
    success: false,
    error: {
      code,
      message,
      ...(typeof server === 'string' && { server: server.slice(0, MAX_NAME_CHARACTERS) }),
      ...(typeof tool === 'string' && { tool: tool.slice(0, MAX_NAME_CHARACTERS) }),
      ...(hint !== undefined && { hint }),
    },
  };
  return {
    value: { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value, isError: true },
  };
}

/** A server's result as an answer: its own words where nothing in them has to be looked at again. */
export function passed({ value, json }: ToolResult): Answer {
  return json !== undefined && value.resultType === undefined ? { json } : { value };
}

const NOT_FOUND_BEFORE_2026 = -32002;
/** What is wrong with what was asked for, and not with us. */
const THEIRS: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.ServerNotFound,
  ErrorCode.ServerNotApproved,
  ErrorCode.ServerBlocked,
  ErrorCode.ToolNotFound,
  ErrorCode.ToolDisabled,
  ErrorCode.ToolValidationError,
]);

/** What went wrong with a request that has no result to say it in. What the server itself answered is passed on as it is. */
export function asRpcError(error: unknown, method: string, era: Era): unknown {
  if (!(error instanceof PortolanError)) return error;
  if (error.cause instanceof RpcError) return inEra(error.cause, method, era);
  const { code, message, hint } = error;
  const data = { code, ...(hint !== undefined && { hint }) };
  return new RpcError(THEIRS.has(code) ? RpcCode.invalidParams : RpcCode.internalError, message, data);
}

/** A resource that is not there has another code in each era. */
function inEra(error: RpcError, method: string, era: Era): RpcError {
  const { code, message, data } = error.fault;
  if (method !== 'resources/read') return error;
  if (era === 'modern' && code === NOT_FOUND_BEFORE_2026) return new RpcError(RpcCode.invalidParams, message, data);
  // Only a stateless server says so with this code, and names the resource.
  const isMissing = code === RpcCode.invalidParams && isObject(data) && data.uri !== undefined;
  if (era === 'legacy' && isMissing) return new RpcError(NOT_FOUND_BEFORE_2026, message, data);
  return error;
}

/** The value of an answer, whichever way it is held. */
export function objectOf(answer: Answer): Record<string, unknown> {
  const value: unknown = 'json' in answer ? JSON.parse(answer.json.toString()) : answer.value;
  return isObject(value) ? value : {};
}
