import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configure, connect, fixture, startsIn, until } from '../support/client-over-stdio.js';
import { makeMachine } from '../support/machine.js';

describe('an expired tool list', () => {
  it('is refreshed in the background after list_tools, which answers at once from the cache', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    configure(machine, { one: fixture(['--starts', starts]) });
    machine.write({
      '~/.config/portolan/portolan.config.json': JSON.stringify({ cache: { ttl: 1 }, timeouts: { idleMs: 100 } }),
    });
    await using client = await connect(machine);
    await client.ask('list_tools', { server: 'one' });
    const before = startsIn(starts).length;
    expect(existsSync(starts)).toBe(true);
    await until(
      async () => {
        await client.ask('list_tools', { server: 'one' });
        return startsIn(starts).length;
      },
      (count) => count > before,
    );
    expect(startsIn(starts).length).toBeGreaterThan(before);
  });
});
