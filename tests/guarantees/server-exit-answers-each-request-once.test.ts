import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, gatewayWith, type Json, type LineClient, odd, textOf } from '../support/gateway-harness.js';
import { makeMachine } from '../support/machine.js';

const IS_SOAK = process.env.PORTOLAN_SOAK === '1';
const PENDING = IS_SOAK ? 500 : 100;
const LIMITS = { inFlightPerServer: 1_000, inFlightPerClient: 1_000, queue: 1_000 };
const NO_HURRY = { callMs: 50_000 };

/** The server exits after this many bytes of its response, which has about a hundred. */
const CUTS = [0, 1, 11, 40, 70, 90];

/** How often each id was answered. */
function counts(client: LineClient): number[] {
  return [...client.answered.values()];
}

const messageOf = (result: Json): string => (result.structuredContent as { error: { message: string } }).error.message;

describe('an upstream server that exits during a response', { tags: 'G5' }, () => {
  it.each(CUTS)(`after %i bytes causes exactly one error for each of ${PENDING + 1} pending calls`, async (after) => {
    await using home = await gatewayWith({ odd: odd() }, { limits: LIMITS, timeouts: NO_HURRY });
    const client = home.connect();
    await client.execute('odd', 'echo');
    const pending = Array.from({ length: PENDING }, () => client.execute('odd', 'mute'));
    const dying = client.execute('odd', 'die', { after });
    const results = await Promise.all([...pending, dying]);
    expect(new Set(results.map(codeOf))).toEqual(new Set(['CONNECTION_ERROR']));
    expect(new Set(results.map(messageOf))).toEqual(
      new Set(['it exited with code 7; last output on stderr: that was too much']),
    );
    // The next call starts a new process, and no output of the old one arrives later.
    expect(textOf(await client.execute('odd', 'echo', { again: true }))).toBe('{"again":true}');
    expect(counts(client)).toEqual(new Array(PENDING + 3).fill(1));
  });

  it('after SIGKILL causes exactly one error for each call of every client', async () => {
    using files = makeMachine();
    const starts = join(files.home, 'starts');
    const servers = { odd: odd(['--starts', starts]) };
    await using home = await gatewayWith(servers, { limits: LIMITS, timeouts: NO_HURRY });
    const clients = Array.from({ length: 10 }, () => home.connect());
    await Promise.all(clients.map((client) => client.execute('odd', 'echo')));
    const pending = clients.flatMap((client) =>
      Array.from({ length: PENDING / 10 }, () => client.execute('odd', 'mute')),
    );
    // Sent last on the same pipe: its response shows that the server received all calls.
    await clients[0]?.execute('odd', 'echo');
    process.kill(Number(readFileSync(starts, 'utf8')), 'SIGKILL');
    const results = await Promise.all(pending);
    expect(results.map(messageOf)).toEqual(results.map(() => 'it was ended by SIGKILL'));
    expect(results.map(codeOf)).toEqual(results.map(() => 'CONNECTION_ERROR'));
    expect(clients.flatMap(counts).filter((count) => count !== 1)).toEqual([]);
  });
});
