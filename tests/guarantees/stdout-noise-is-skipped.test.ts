import { describe, expect, it } from 'vitest';
import { codeOf, gatewayWith, type Json, odd, textOf } from '../support/gateway-harness.js';

const IS_SOAK = process.env.PORTOLAN_SOAK === '1';
const CALLS = IS_SOAK ? 10_000 : 500;
/** The lines that the server writes before each response, without empty ones. */
const NOISE_LINES = 10;

describe('noise on the stdout of an upstream server', { tags: 'G3' }, () => {
  it(`is skipped and counted: ${NOISE_LINES} lines before each of ${CALLS} responses, none of which is lost`, async () => {
    const logged: Json[] = [];
    const results: string[] = [];
    {
      await using home = await gatewayWith({ noisy: odd(['noisy']) }, {}, (level, message, facts) =>
        logged.push({ level, message, ...facts }),
      );
      const client = home.connect();
      for (let n = 0; n < CALLS; n += 1) results.push(textOf(await client.execute('noisy', 'echo', { n, ä: 'ö' })));
    }
    expect(results).toEqual(results.map((_, n) => `{"n":${n},"ä":"ö"}`));
    expect(results).toHaveLength(CALLS);
    // The two handshakes, one per protocol revision, and tools/list have responses too.
    const lines = (CALLS + 3) * NOISE_LINES;
    expect(logged.filter(({ message }) => String(message).includes('stdout'))).toEqual([
      { level: 'warn', message: 'skipped a line on stdout that is not a JSON-RPC message', server: 'noisy' },
      { level: 'info', message: 'lines on stdout that were not JSON-RPC messages', server: 'noisy', lines },
    ]);
  });

  it.each([
    { title: 'a byte order mark and CRLF', words: ['marked'] },
    { title: 'another order of keys', words: ['python'] },
    { title: 'a byte order mark, CRLF and another order', words: ['marked', 'python'] },
  ])('does not affect messages with $title', async ({ words }) => {
    await using home = await gatewayWith({ odd: odd(words) });
    const client = home.connect();
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => client.execute('odd', 'echo', { n })));
    expect(results.map(textOf)).toEqual(results.map((_, n) => `{"n":${n}}`));
  });

  it.each([
    { title: 'an incomplete line', bytes: Buffer.from('Loading 50 %') },
    { title: 'an incomplete message', bytes: Buffer.from('{"jsonrpc":"2.0","id":') },
    { title: 'an open string', bytes: Buffer.from('{"a":"') },
    { title: 'NUL', bytes: Buffer.alloc(100) },
    { title: 'invalid UTF-8', bytes: Buffer.from([0xff, 0xfe, 0xc0, 0x80]) },
    { title: 'an incomplete character', bytes: Buffer.from([0xe2, 0x82]) },
  ])('without a line end loses only the response behind it: $title', async ({ bytes }) => {
    await using home = await gatewayWith({ odd: odd() }, { timeouts: { callMs: 300 } });
    const client = home.connect();
    expect(textOf(await client.execute('odd', 'raw', { hex: bytes.toString('hex') }))).toBe('raw');
    const glued = await client.execute('odd', 'echo', { n: 1 });
    const next = await client.execute('odd', 'echo', { n: 2 });
    expect([codeOf(glued), textOf(next)]).toEqual(['TOOL_EXECUTION_TIMEOUT', '{"n":2}']);
  });
});
