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

  it('takes vectors from the cache, and stores new ones there', async () => {
    const stored = new Map<string, Int8Array>();
    const cache = {
      get: (text: string) => stored.get(text),
      put: (text: string, vector: Int8Array) => void stored.set(text, vector),
    };
    const texts: string[] = [];
    const embedder: Embedder = {
      embed: (asked) => {
        texts.push(...asked);
        return fond.embed(asked);
      },
    };
    await createToolIndex(TOOLS, { embedder, vectors: cache }).embedded();
    expect([stored.size, texts.length]).toEqual([TOOLS.length, TOOLS.length]);
    const again = createToolIndex(TOOLS, { embedder, vectors: cache });
    again.search('my heartfelt wish');
    await again.embedded();
    expect(texts.slice(TOOLS.length)).toEqual(['my heartfelt wish']);
    expect(names(again.search('my heartfelt wish'))[0]).toBe('beta');
  });

  it('has the vector of a new need after prepare', async () => {
    const index = createToolIndex(TOOLS, { embedder: fond });
    await index.embedded();
    await index.prepare('my heartfelt wish', 60_000);
    const [best] = index.search('my heartfelt wish');
    expect([best?.tool, best?.parts.semantics]).toEqual(['beta', 1]);
  });

  it.each<{ title: string; embedder: Embedder; limitMs: number }>([
    {
      title: 'is not loaded',
      embedder: { isReady: false, embed: () => new Promise(() => undefined) },
      limitMs: 60_000,
    },
    { title: 'takes too long', embedder: { embed: () => new Promise(() => undefined) }, limitMs: 1 },
    { title: 'fails', embedder: { embed: () => Promise.reject(new Error('no memory')) }, limitMs: 60_000 },
  ])('does not wait for a model that $title', async ({ embedder, limitMs }) => {
    const index = createToolIndex(TOOLS, { embedder });
    await index.prepare('second thing', limitMs);
    expect(names(index.search('second thing'))[0]).toBe('beta');
  });
});
