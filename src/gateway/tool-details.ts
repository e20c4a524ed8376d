import { exampleOf } from '../schema-check/index.js';
import { summaryOf } from '../search/index.js';
import type { ToolDetails, ToolSummary } from './gateway-answers.js';
import { isHeld, marksOf, type ToolView } from './tool-view.js';

const HELD = 'disabled until the user approves it';

export interface ToolListOptions {
  readonly includeDisabled?: boolean;
}

/** One line about a tool, and whether it may be called. */
export function toolSummary(view: ToolView): ToolSummary {
  const { listed, enabled, tags, because } = view;
  const { name, description, title } = listed.tool;
  // A changed or new description may be hostile, so it is withheld until the user approved it.
  const summary = isHeld(view)
    ? `${HELD}: ${because === 'new' ? 'the tool is new' : 'its definition changed'}`
    : summaryOf(description ?? title);
  return { name, summary, enabled, tags, ...marksOf(listed) };
}

/** The full definition of a tool, as needed to call it. */
export function toolDetails(server: string, { listed, enabled }: ToolView): ToolDetails {
  const { name, description, inputSchema, outputSchema, annotations } = listed.tool;
  return {
    server,
    tool: name,
    ...(!enabled && { enabled: false as const }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations }),
    example: exampleOf(inputSchema),
    ...marksOf(listed),
  };
}
