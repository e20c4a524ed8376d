import { isDeepStrictEqual } from 'node:util';
import { ErrorCode, isObject, PortolanError } from '../../base/index.js';
import type { CallOutcome } from '../../gateway/index.js';
import type { ToolResult } from '../../model/index.js';
import type { Answer } from '../../rpc/index.js';
import { failed, objectOf } from './mcp-answers.js';

type Block = Readonly<Record<string, unknown>>;

/**
 * One result for several calls: for each a line of JSON with its index and whether it succeeded, then the content of its
 * result. `answered` converts the result of a server. Together they are subject to the size limit of one result.
 */
export function outcomesAnswer(
  outcomes: readonly CallOutcome[],
  answered: (server: string, result: ToolResult) => Answer,
  maxBytes: number,
): Answer {
  let bytes = 0;
  let failures = 0;
  const content = outcomes.flatMap((outcome, index) => {
    const { server, tool } = outcome.call;
    if (outcome.kind === 'failed') {
      failures += 1;
      return [line(index, objectOf(failed(outcome.error, outcome.call)).structuredContent)];
    }
    const value = objectOf(answered(server, outcome.result));
    const blocks = blocksOf(value);
    const isError = value.isError === true;
    if (isError) failures += 1;
    bytes += Buffer.byteLength(JSON.stringify(blocks));
    if (bytes > maxBytes) return [line(index, objectOf(failed(tooLarge(maxBytes), outcome.call)).structuredContent)];
    return [line(index, { server, tool, success: !isError }), ...blocks];
  });
  return { value: { content, ...(failures === outcomes.length && { isError: true }) } };
}

function line(index: number, said: unknown): Block {
  return text({ call: index, ...(isObject(said) ? said : {}) });
}

/** The content of a result. Structured content is added if no text of the content is a copy of it. */
function blocksOf({ content, structuredContent, ...rest }: Block): readonly Block[] {
  const blocks = Array.isArray(content) ? content.filter(isObject) : undefined;
  if (!blocks) return [text(structuredContent ?? rest)]; // not a usual result, such as a task
  const isCopied = structuredContent === undefined || blocks.some((block) => isCopy(block, structuredContent));
  return isCopied ? blocks : [...blocks, text(structuredContent)];
}

function isCopy(block: Block, structuredContent: unknown): boolean {
  try {
    return typeof block.text === 'string' && isDeepStrictEqual(JSON.parse(block.text), structuredContent);
  } catch {
    return false; // other text
  }
}

function text(value: unknown): Block {
  return { type: 'text', text: JSON.stringify(value) };
}

function tooLarge(maxBytes: number): PortolanError {
  const message = `the tool was called, but the results of these calls together have more than ${maxBytes} bytes`;
  return new PortolanError(ErrorCode.ResultTooLarge, message, {
    hint: 'send fewer calls at once, or raise limits.maxResultBytes',
  });
}
