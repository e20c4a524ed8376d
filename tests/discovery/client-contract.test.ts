import { describe, expect, it } from 'vitest';
import { CLIENTS } from '../../src/sources/index.js';
import { clientContract } from '../support/client-contract.js';
import { makeMachine, PLATFORMS } from '../support/machine.js';
import { spotsOf, writerFor } from '../support/places.js';

/** Files that are read but contain no servers: settings with rules about servers, a shell script, XML. */
const WITHOUT_SERVERS = /ClaudeCode|claude-code|\.claude\/settings|crushrc$|llm\.mcpServers\.xml$/;

describe('the clients', () => {
  it('have one id each', () => {
    expect(new Set(CLIENTS.map(({ id }) => id)).size).toBe(CLIENTS.length);
  });

  it.each(PLATFORMS)('have only places on %s whose entries the contract can write', async (platform) => {
    using machine = makeMachine();
    const unknown: string[] = [];
    for (const spot of CLIENTS.flatMap(({ places }) => places.flatMap((place) => spotsOf(place, machine, platform)))) {
      if (!(await writerFor(spot, machine, platform))) unknown.push(spot.path);
    }
    expect(unknown.filter((path) => !WITHOUT_SERVERS.test(path))).toEqual([]);
  });
});

for (const client of CLIENTS) clientContract(client);
