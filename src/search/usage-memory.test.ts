import { describe, expect, it } from 'vitest';
import type { RememberedUse } from './search-types.js';
import {
  MAX_ABANDONED_PER_TOOL,
  MAX_DAILY_USES,
  MAX_DAILY_USES_PER_TOOL,
  MAX_USES,
  MAX_USES_PER_TOOL,
  parseUses,
  UsageMemory,
} from './usage-memory.js';

const DAY = 24 * 60 * 60 * 1000;
const NOW = 1_000 * DAY;
const use = (query: string, at = NOW, tool = 'tool') => ({ server: 'server', tool, query, at });

function remembering(...uses: RememberedUse[]): UsageMemory {
  const memory = new UsageMemory(() => NOW);
  for (const one of uses) memory.add(one);
  return memory;
}

describe('UsageMemory', () => {
  it('keeps the latest needs of a tool', () => {
    const uses = Array.from({ length: MAX_USES_PER_TOOL + 3 }, (_, n) => use(`need ${n}`, NOW - 100 + n));
    expect(remembering(...uses).all()).toEqual(uses.slice(3));
  });

  it('counts the same need once, with its latest time', () => {
    expect(remembering(use('send mail', NOW - DAY), use('Send mail ')).all()).toEqual([use('Send mail')]);
  });

  it('keeps fewer needs that a tool was abandoned for, and the latest outcome of each', () => {
    const many = Array.from({ length: 20 }, (_, n) => ({
      ...use(`need ${n}`, NOW - 100 + n),
      abandoned: true as const,
    }));
    expect(remembering(use('good', NOW - 200), ...many).all()).toEqual([
      use('good', NOW - 200),
      ...many.slice(-MAX_ABANDONED_PER_TOOL),
    ]);
    expect(remembering({ ...use('need', NOW - 1), abandoned: true }, use('Need')).all()).toEqual([use('Need')]);
  });

  it('forgets the tools used longest ago if there are too many', () => {
    const memory = new UsageMemory(() => NOW);
    for (let n = 0; n <= MAX_USES; n += 1) memory.add(use('need', NOW, `tool${n}`));
    const tools = memory.all().map(({ tool }) => tool);
    expect([tools.length, tools[0], tools.at(-1)]).toEqual([MAX_USES, 'tool1', `tool${MAX_USES}`]);
  });

  it.each([
    { title: 'an empty need', one: use('  ') },
    { title: 'a need of years ago', one: use('need', NOW - 999 * DAY) },
    { title: 'a name that is too long', one: use('need', NOW, 'x'.repeat(600)) },
  ])('does not keep $title', ({ one }) => {
    expect(remembering(one).all()).toEqual([]);
  });

  it('limits the time of a use to now and the length of a need', () => {
    expect(remembering(use('x'.repeat(5_000), NOW + DAY)).all()).toEqual([use('x'.repeat(300), NOW)]);
  });
});

describe('the limits of one day', () => {
  const remembering = (now: () => number) => {
    const memory = new UsageMemory(now);
    const remember = (tool: string, query: string) => memory.remember({ server: 'server', tool, query });
    return { memory, remember };
  };

  it('stop a loop from filling the memory of a tool, until the next day', () => {
    let now = NOW;
    const { memory, remember } = remembering(() => now);
    for (let n = 0; n < 100; n += 1) remember('tool', `need ${n}`);
    expect(memory.all()).toHaveLength(MAX_DAILY_USES_PER_TOOL);
    now += DAY;
    remember('tool', 'need of the next day');
    expect(memory.all()).toHaveLength(MAX_DAILY_USES_PER_TOOL + 1);
  });

  it('do not apply to a need that is known already', () => {
    let now = NOW;
    const { memory, remember } = remembering(() => now);
    for (let n = 0; n < MAX_DAILY_USES_PER_TOOL; n += 1) remember('tool', `need ${n}`);
    now += 1;
    remember('tool', 'Need 0');
    expect(memory.all().at(-1)).toEqual(use('Need 0', now));
  });

  it('stop a loop over many tools', () => {
    const { memory, remember } = remembering(() => NOW);
    for (let n = 0; n < MAX_DAILY_USES + 50; n += 1) remember(`tool ${n}`, 'need');
    expect(memory.all()).toHaveLength(MAX_DAILY_USES);
  });
});

describe('parseUses', () => {
  it.each([
    { title: 'a value that is not a list', written: { server: 's' } },
    { title: 'null', written: null },
    { title: 'entries that are not uses', written: [null, 1, 'x', [], {}] },
    { title: 'a number for a name', written: [{ server: 1, tool: 't', query: 'q', at: 1 }] },
    { title: 'a text for a time', written: [{ server: 's', tool: 't', query: 'q', at: '1' }] },
    { title: 'a time that is not a number', written: [{ server: 's', tool: 't', query: 'q', at: Number.NaN }] },
  ])('ignores $title', ({ written }) => {
    expect(parseUses(written)).toEqual([]);
  });

  it('reads the valid entries, without unknown fields', () => {
    expect(parseUses([{}, { ...use('need'), more: 1 }])).toEqual([use('need')]);
  });
});
