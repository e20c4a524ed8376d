import { describe, expect, it, vi } from 'vitest';
import { createToolIndex } from '../../src/search/index.js';
import { gatewayWith, odd, textOf } from '../support/gateway-harness.js';

const SERVERS = Object.fromEntries(['one', 'two', 'three', 'four'].map((name) => [name, odd([name])]));
const CALLS = 20;
const NEEDS = ['echo the arguments', 'a large result', 'wait for a while', 'list of numbers'];

describe('the cost of a call', { tags: 'G16' }, () => {
  it('includes no search and no read of the catalog entry of another server', async () => {
    await using home = await gatewayWith(SERVERS);
    const { gateway, catalog } = home.running;
    const conversation = home.conversation();
    // The class of the index is private to its module; all indexes share its prototype.
    const search = vi.spyOn(Object.getPrototypeOf(createToolIndex()), 'search');
    const entry = vi.spyOn(catalog, 'entry');
    const entries = vi.spyOn(catalog, 'entries');
    try {
      await gateway.listServers(conversation);
      for (const server of Object.keys(SERVERS)) await gateway.listTools(server);
      const { results } = await gateway.searchTools(NEEDS, {}, conversation);
      expect(results.length).toBeGreaterThan(0);
      expect(search.mock.calls.length).toBeGreaterThan(0);
      await gateway.executeTool('two', 'echo', { a: 0 }, conversation); // starts the server

      for (const spy of [search, entry, entries]) spy.mockClear();
      for (let n = 1; n <= CALLS; n += 1) {
        const { value } = await gateway.executeTool('two', 'echo', { a: n }, conversation);
        expect(textOf(value)).toBe(`{"a":${n}}`);
      }
      expect(search).not.toHaveBeenCalled();
      expect(entries).not.toHaveBeenCalled();
      // A first read of another server may end meanwhile; a call that reads its entry would do so every time.
      expect(entry.mock.calls.filter(([name]) => name !== 'two').length).toBeLessThan(CALLS);
    } finally {
      vi.restoreAllMocks();
    }
  });
});
