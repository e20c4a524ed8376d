import type { Pins } from './catalog-store.js';
import type { ListedTool } from './read-tools.js';

/** How a tool differs from the version that was first seen or last approved. */
export type PinVerdict = 'same' | 'changed' | 'new';

/** Compared by name: a renamed tool is new. */
export function comparePin(pins: Pins | undefined, { tool, hash }: ListedTool): PinVerdict {
  if (!pins) return 'same'; // first reading: later ones are compared with it
  if (!Object.hasOwn(pins, tool.name)) return 'new';
  return pins[tool.name] === hash ? 'same' : 'changed';
}

/** The current hashes of all tools. */
export function pinsOf(tools: readonly ListedTool[]): Pins {
  return Object.fromEntries(tools.map(({ tool, hash }) => [tool.name, hash]));
}
