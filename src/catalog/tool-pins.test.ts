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
    { title: 'that is as it was', pins: { a: 'h' }, name: 'a', verdict: 'same' },
    { title: 'that is another', pins: { a: 'other' }, name: 'a', verdict: 'changed' },
    { title: 'that was not there', pins: { b: 'h' }, name: 'a', verdict: 'new' },
    { title: 'called as something that every object has', pins: {}, name: 'constructor', verdict: 'new' },
    { title: 'called __proto__', pins: {}, name: '__proto__', verdict: 'new' },
  ])('calls a tool $title $verdict', ({ pins, name, verdict }) => {
    expect(comparePin(pins, listed(name, 'h'))).toBe(verdict);
  });

  it('finds every tool the same under its own pins, whatever it is called', () => {
    const tools = ['a', '__proto__', 'constructor', 'ä'].map((name) => listed(name, `hash of ${name}`));
    const pins: Record<string, string> = JSON.parse(JSON.stringify(pinsOf(tools)));
    expect(tools.map((tool) => comparePin(pins, tool))).toEqual(['same', 'same', 'same', 'same']);
  });
});
