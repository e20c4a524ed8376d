import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, gatewayWith, type Json, type LineClient, odd, textOf } from '../support/gateway-harness.js';
import { makeMachine } from '../support/machine.js';

const IS_SOAK = process.env.PORTOLAN_SOAK === '1';
const PENDING = IS_SOAK ? 500 : 100;
const LIMITS = { inFlightPerServer: 1_000, inFlightPerClient: 1_000, queue: 1_000 };
const NO_HURRY = { callMs: 50_000 };

/** After how many bytes of its answer the server ends; the answer has about a hundred. */
const CUTS = [0, 1, 11, 40, 70, 90];

/** How often each of these ids was answered. */
function counts(client: LineClient): number[] {
  return [...client.answered.values()];
}

const messageOf = (result: Json): string => (result.structuredContent as { error: { message: string } }).error.message;

describe('an upstream that exits in mid-answer', { tags: 'G5' }, () => {
  it.each(CUTS)(`after %i bytes gives each of ${PENDING + 1} pending calls exactly one error`, async (after) => {
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
    // The next call finds a new one, and nothing of the old one comes after.
    expect(textOf(await client.execute('odd', 'echo', { again: true }))).toBe('{"again":true}');
    expect(counts(client)).toEqual(new Array(PENDING + 3).fill(1));
  });

  it('killed with SIGKILL, the same for the calls of every client', async () => {
    using files = makeMachine();
    const starts = join(files.home, 'starts');
    const servers = { odd: odd(['--starts', starts]) };
    await using home = await gatewayWith(servers, { limits: LIMITS, timeouts: NO_HURRY });
    const clients = Array.from({ length: 10 }, () => home.connect());
    await Promise.all(clients.map((client) => client.execute('odd', 'echo')));
    const pending = clients.flatMap((client) =>
      Array.from({ length: PENDING / 10 }, () => client.execute('odd', 'mute')),
    );
    // Behind all of them on the same pipe: when it is answered, they have arrived.
    await clients[0]?.execute('odd', 'echo');
    process.kill(Number(readFileSync(starts, 'utf8')), 'SIGKILL');
    const results = await Promise.all(pending);
    expect(results.map(messageOf)).toEqual(results.map(() => 'it was ended by SIGKILL'));
    expect(results.map(codeOf)).toEqual(results.map(() => 'CONNECTION_ERROR'));
    expect(clients.flatMap(counts).filter((count) => count !== 1)).toEqual([]);
  });
});
