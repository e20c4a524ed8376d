import { ErrorCode, isObject, PortolanError } from '../../base/index.js';
import type { Era, ToolResult } from '../../model/index.js';
import { type Answer, RpcCode, RpcError } from '../../rpc/index.js';

const MAX_NAME_CHARACTERS = 100;

/** A result as compact JSON text for a model and as a structured value for a program. */
export function structured(value: object): Answer {
  return { value: { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value } };
}

/** An error that the model can fix, as a result. */
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

/** A server's result, as its original JSON unless it has to be inspected. */
export function passed({ value, json }: ToolResult): Answer {
  return json !== undefined && value.resultType === undefined ? { json } : { value };
}

const NOT_FOUND_BEFORE_2026 = -32002;
/** Errors caused by the request rather than by us. */
const REQUEST_FAULTS: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.ServerNotFound,
  ErrorCode.ServerNotApproved,
  ErrorCode.ServerBlocked,
  ErrorCode.ToolNotFound,
  ErrorCode.ToolDisabled,
  ErrorCode.ToolValidationError,
]);

/** A failed request as a JSON-RPC error. An error from the server itself is passed on. */
export function asRpcError(error: unknown, method: string, era: Era): unknown {
  if (!(error instanceof PortolanError)) return error;
  if (error.cause instanceof RpcError) return inEra(error.cause, method, era);
  const { code, message, hint } = error;
  const data = { code, ...(hint !== undefined && { hint }) };
  return new RpcError(REQUEST_FAULTS.has(code) ? RpcCode.invalidParams : RpcCode.internalError, message, data);
}

/** The code for a missing resource differs between the eras. */
function inEra(error: RpcError, method: string, era: Era): RpcError {
  const { code, message, data } = error.fault;
  if (method !== 'resources/read') return error;
  if (era === 'modern' && code === NOT_FOUND_BEFORE_2026) return new RpcError(RpcCode.invalidParams, message, data);
  // Only a stateless server uses this code with a `uri`.
  const isMissing = code === RpcCode.invalidParams && isObject(data) && data.uri !== undefined;
  if (era === 'legacy' && isMissing) return new RpcError(NOT_FOUND_BEFORE_2026, message, data);
  return error;
}

/** The parsed value of an answer. */
export function objectOf(answer: Answer): Record<string, unknown> {
  const value: unknown = 'json' in answer ? JSON.parse(answer.json.toString()) : answer.value;
  return isObject(value) ? value : {};
}
