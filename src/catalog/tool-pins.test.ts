import { describe, expect, it } from 'vitest';
import type { ListedTool } from './read-tools.js';
import { comparePin, pinsOf } from './tool-pins.js';

const listed = (name: string, hash: string): ListedTool => ({
  tool: { name, inputSchema: { type: 'object' } },
  hash,
  faults: [],
});

describe('comparePin', () => {
  it.each([
    { title: 'of a server seen for the first time', pins: undefined, name: 'a', verdict: 'same' },
    { title: 'that is unchanged', pins: { a: 'h' }, name: 'a', verdict: 'same' },
    { title: 'that has changed', pins: { a: 'other' }, name: 'a', verdict: 'changed' },
    { title: 'that is new', pins: { b: 'h' }, name: 'a', verdict: 'new' },
    { title: 'with an inherited name', pins: {}, name: 'constructor', verdict: 'new' },
    { title: 'named __proto__', pins: {}, name: '__proto__', verdict: 'new' },
  ])('is $verdict for a tool $title', ({ pins, name, verdict }) => {
    expect(comparePin(pins, listed(name, 'h'))).toBe(verdict);
  });

  it('is the same for every tool under its own pins', () => {
    const tools = ['a', '__proto__', 'constructor', 'ä'].map((name) => listed(name, `hash of ${name}`));
    const pins: Record<string, string> = JSON.parse(JSON.stringify(pinsOf(tools)));
    expect(tools.map((tool) => comparePin(pins, tool))).toEqual(['same', 'same', 'same', 'same']);
  });
});
