import { cleanDeep, cleanText, isObject, sha256, type TextFault } from '../base/index.js';
import type { Tool } from '../model/index.js';

/** A tool in the catalog: its description for models, and the faults found in it. */
export interface ListedTool {
  readonly tool: Tool;
  /** The hash of the definition as the server sent it, including hidden characters. */
  readonly hash: string;
  /** The kinds of characters that were removed from its texts. */
  readonly faults: readonly TextFault[];
}

export interface ReadTools {
  readonly tools: readonly ListedTool[];
  /** Messages about tools that could not be listed. */
  readonly refused: readonly string[];
}

const MAX_NAME_CHARACTERS = 256;
const MAX_DESCRIPTION_CHARACTERS = 20_000;
const MAX_SCHEMA_TEXT_CHARACTERS = 8_000;
const MAX_SCHEMA_DEPTH = 64;
/** A larger definition is rejected as abuse. */
const MAX_TOOL_CHARACTERS = 512 * 1024;
const MAX_REFUSALS_SHOWN = 20;

/** Validates and cleans the tools that a server listed. An invalid tool does not affect the others. */
export function readTools(listed: readonly unknown[]): ReadTools {
  const tools = new Map<string, ListedTool>();
  const refused: string[] = [];
  for (const [place, value] of listed.entries()) {
    const read = readTool(value);
    if (typeof read === 'string') refused.push(`tool ${place + 1} ${read}`);
    else if (tools.has(read.tool.name)) refused.push(`tool ${place + 1} has the name of another, ${read.tool.name}`);
    else tools.set(read.tool.name, read);
  }
  return { tools: [...tools.values()], refused: refused.slice(0, MAX_REFUSALS_SHOWN) };
}

/** Returns the tool, or a description of the fault. */
function readTool(value: unknown): ListedTool | string {
  if (!isObject(value)) return 'is not an object';
  const { name, title, description, inputSchema, outputSchema, annotations, ...more } = value;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_CHARACTERS)
    return `has no name of 1 to ${MAX_NAME_CHARACTERS} characters`;
  // A name is never cleaned: the called name must be the shown one.
  if (cleanText(name, MAX_NAME_CHARACTERS).found.length > 0) return 'has a name with invisible characters';
  const text = canonical({ name, title, description, inputSchema, outputSchema, annotations });
  if (text.length + JSON.stringify(more).length > MAX_TOOL_CHARACTERS) return `(${name}) is too large`;
  const faults = new Set<TextFault>();
  const line = (given: unknown) => {
    const { text: cleaned, found } = cleanText(String(given), MAX_DESCRIPTION_CHARACTERS);
    for (const fault of found) faults.add(fault);
    return cleaned;
  };
  const deep = (given: Record<string, unknown>): Record<string, unknown> => {
    const { value: cleaned, found } = cleanDeep(given, MAX_SCHEMA_TEXT_CHARACTERS, MAX_SCHEMA_DEPTH);
    for (const fault of found) faults.add(fault);
    return isObject(cleaned) ? cleaned : {};
  };
  const tool: Tool = {
    ...deep(more),
    name,
    ...(typeof title === 'string' && { title: line(title) }),
    ...(typeof description === 'string' && { description: line(description) }),
    inputSchema: isObject(inputSchema) ? deep(inputSchema) : { type: 'object' },
    ...(isObject(outputSchema) && { outputSchema: deep(outputSchema) }),
    ...(isObject(annotations) && { annotations: deep(annotations) }),
  };
  return { tool, hash: sha256(text), faults: [...faults] };
}

/** Serializes equal values to the same text, independent of the order of keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** Returns whether a value from our own files has the shape that `readTools` creates. Does not clean it again. */
export function isListedTool(value: unknown): value is ListedTool {
  if (!isObject(value) || !isObject(value.tool)) return false;
  const { tool, hash, faults } = value;
  const isText = (one: unknown) => one === undefined || typeof one === 'string';
  const isPlain = (one: unknown) => one === undefined || isObject(one);
  return (
    typeof hash === 'string' &&
    Array.isArray(faults) &&
    faults.every((fault) => typeof fault === 'string') &&
    typeof tool.name === 'string' &&
    tool.name !== '' &&
    isObject(tool.inputSchema) &&
    [tool.title, tool.description].every(isText) &&
    [tool.outputSchema, tool.annotations].every(isPlain)
  );
}
