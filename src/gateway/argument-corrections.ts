import { ErrorCode, PortolanError } from '../base/index.js';
import type { ToolResult } from '../model/index.js';
import { type Mismatch, nearestArguments, signatureOf } from '../schema-check/index.js';
import type { ToolView } from './tool-view.js';

/** The error of arguments that do not match: the mismatches, the signature, and the nearest arguments that do match. */
export async function invalidArguments(
  server: string,
  { listed: { tool } }: ToolView,
  toolArguments: unknown,
  mismatches: readonly Mismatch[],
): Promise<PortolanError> {
  const said = mismatches.map(({ path, message }) => `${path === '' ? 'arguments' : path} ${message}`).join('; ');
  const nearest = await nearestArguments(tool.inputSchema, toolArguments);
  const next =
    nearest === undefined
      ? `get_tool_details of ${server} ${tool.name} shows its arguments`
      : `nearest valid arguments: ${JSON.stringify(nearest)}`;
  return new PortolanError(ErrorCode.ToolValidationError, `the arguments do not match the input schema: ${said}`, {
    hint: `${signatureOf(tool.name, tool.inputSchema)}; ${next}`,
  });
}

/** The result with a last text that tells the model which arguments were changed; a result without content is unchanged. */
export function withCorrections(result: ToolResult, corrections: readonly string[]): ToolResult {
  const { value } = result;
  if (!Array.isArray(value.content)) return result;
  const text = `Portolan corrected the arguments of this call. ${corrections.join('. ')}.`;
  return { value: { ...value, content: [...value.content, { type: 'text', text }] } };
}
