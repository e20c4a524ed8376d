import { describe, expect, it } from 'vitest';
import type { Embedder } from './embedder.js';
import { createToolIndex } from './tool-index.js';

const TOOLS = [
  { server: 'a', name: 'alpha', description: 'Does the first thing' },
  { server: 'b', name: 'beta', description: 'Does the second thing' },
  { server: 'c', name: 'gamma', description: 'Does the third thing' },
];

/** Considers every text with `beta` or `wish` similar to each other. */
const fond: Embedder = { embed: async (texts) => texts.map((text) => (/beta|wish/.test(text) ? [1, 0.1] : [0.1, 1])) };

const names = (results: readonly { readonly tool: string }[]) => results.map(({ tool }) => tool);

describe('an index with an embedder', () => {
  it('ranks by words until the vectors exist, then also by meaning', async () => {
    const index = createToolIndex(TOOLS, { embedder: fond });
    expect(names(index.search('my heartfelt wish'))).toEqual([]);
    await index.embedded();
    expect(names(index.search('my heartfelt wish'))[0]).toBe('beta');
  });

  it('ranks an exact name first, even if the model prefers another tool', async () => {
    const index = createToolIndex(TOOLS, { embedder: fond });
    index.search('gamma');
    await index.embedded();
    expect(names(index.search('gamma'))[0]).toBe('gamma');
  });

  it.each<{ title: string; embed: Embedder['embed'] }>([
    { title: 'fails', embed: () => Promise.reject(new Error('no memory')) },
    { title: 'returns no vectors', embed: async () => [] },
    { title: 'returns vectors that are not numbers', embed: async (texts) => texts.map(() => [Number.NaN, 1]) },
    {
      title: 'returns vectors of different lengths',
      embed: async (texts) => texts.map((text) => Array(text.length).fill(1)),
    },
  ])('ranks by words if the model $title', async ({ embed }) => {
    const index = createToolIndex(TOOLS, { embedder: { embed } });
    index.search('second thing');
    await index.embedded();
    expect(names(index.search('second thing'))[0]).toBe('beta');
  });

  it('stops using a model that failed three times in a row', async () => {
    let calls = 0;
    const index = createToolIndex(
      Array.from({ length: 200 }, (_, n) => ({ server: 's', name: `tool${n}` })),
      {
        embedder: {
          embed: () => {
            calls += 1;
            return Promise.reject(new Error('broken'));
          },
        },
      },
    );
    await index.embedded();
    expect(calls).toBe(3);
  });
});
