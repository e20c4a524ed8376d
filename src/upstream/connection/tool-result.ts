import { ErrorCode, isObject, PortolanError } from '../../base/index.js';

/** Methods that return a tool result. */
const TOOL_RESULTS: ReadonlySet<string> = new Set(['tools/call', 'tasks/result']);

/** Throws for a malformed result that a client would read as an empty success. */
export function checkedResult(method: string, result: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(result)) throw broken('an answer whose result is not an object');
  if (TOOL_RESULTS.has(method) && hasOddContent(result)) throw broken('a result whose "content" is not an array');
  return result;
}

/** Some servers omit `content` beside `structuredContent`. A getter marks a lazily parsed result, which is not parsed here. */
function hasOddContent(result: object): boolean {
  const content = Object.getOwnPropertyDescriptor(result, 'content');
  return content !== undefined && content.get === undefined && !Array.isArray(content.value);
}

function broken(what: string): PortolanError {
  return new PortolanError(ErrorCode.ToolExecutionError, `the server sent ${what}`, {
    hint: 'the server violates the protocol: report it to its author, or try another version of it',
  });
}
