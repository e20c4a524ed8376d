import type { Pins } from './catalog-store.js';
import type { ListedTool } from './read-tools.js';

/** How a tool differs from what was seen first or approved last. */
export type PinVerdict = 'same' | 'changed' | 'new';

/** Compared by name: what a server calls by a new name is new, whatever it was called before. */
export function comparePin(pins: Pins | undefined, { tool, hash }: ListedTool): PinVerdict {
  if (!pins) return 'same'; // first seen: this is what later readings are compared with
  if (!Object.hasOwn(pins, tool.name)) return 'new';
  return pins[tool.name] === hash ? 'same' : 'changed';
}

/** The hashes of all tools, as they are now. */
export function pinsOf(tools: readonly ListedTool[]): Pins {
  return Object.fromEntries(tools.map(({ tool, hash }) => [tool.name, hash]));
}
