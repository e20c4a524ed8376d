import { describe, expect, it } from 'vitest';
import { MAX_USES, MAX_USES_PER_TOOL, parseUses, UsageMemory } from './usage-memory.js';

const DAY = 24 * 60 * 60 * 1000;
const NOW = 1_000 * DAY;
const use = (query: string, at = NOW, tool = 'tool') => ({ server: 'server', tool, query, at });

function remembering(...uses: ReturnType<typeof use>[]): UsageMemory {
  const memory = new UsageMemory(() => NOW);
  for (const one of uses) memory.add(one);
  return memory;
}

describe('Memory', () => {
  it('keeps the latest needs of a tool', () => {
    const uses = Array.from({ length: MAX_USES_PER_TOOL + 3 }, (_, n) => use(`need ${n}`, NOW - 100 + n));
    expect(remembering(...uses).all()).toEqual(uses.slice(3));
  });

  it('takes the same words again for a newer use and not for a second', () => {
    expect(remembering(use('send mail', NOW - DAY), use('Send mail ')).all()).toEqual([use('Send mail')]);
  });

  it('forgets the tools that were not used for longest when there are too many', () => {
    const memory = new UsageMemory(() => NOW);
    for (let n = 0; n <= MAX_USES; n += 1) memory.add(use('need', NOW, `tool${n}`));
    const tools = memory.all().map(({ tool }) => tool);
    expect([tools.length, tools[0], tools.at(-1)]).toEqual([MAX_USES, 'tool1', `tool${MAX_USES}`]);
  });

  it.each([
    { title: 'an empty need', one: use('  ') },
    { title: 'a need of years ago', one: use('need', NOW - 999 * DAY) },
    { title: 'a name that no tool has', one: use('need', NOW, 'x'.repeat(600)) },
  ])('does not keep $title', ({ one }) => {
    expect(remembering(one).all()).toEqual([]);
  });

  it('lets no need come from the future and none be longer than a need is', () => {
    expect(remembering(use('x'.repeat(5_000), NOW + DAY)).all()).toEqual([use('x'.repeat(300), NOW)]);
  });
});

describe('parseUses', () => {
  it.each([
    { title: 'what is no list', written: { server: 's' } },
    { title: 'null', written: null },
    { title: 'entries that are none', written: [null, 1, 'x', [], {}] },
    { title: 'a number for a name', written: [{ server: 1, tool: 't', query: 'q', at: 1 }] },
    { title: 'a text for a time', written: [{ server: 's', tool: 't', query: 'q', at: '1' }] },
    { title: 'a time that is none', written: [{ server: 's', tool: 't', query: 'q', at: Number.NaN }] },
  ])('reads nothing out of $title', ({ written }) => {
    expect(parseUses(written)).toEqual([]);
  });

  it('reads the good ones among bad ones, and nothing else of them', () => {
    expect(parseUses([{}, { ...use('need'), more: 1 }])).toEqual([use('need')]);
  });
});
