import { describe, expect, it } from 'vitest';
import { eventLimit } from './event-limit.js';

async function through(pieces: readonly (string | Buffer)[], maxBytes: number, after: 'end' | 'skip') {
  const overlong: unknown[] = [];
  const limit = eventLimit({ maxBytes, after, overlong: (bytes, about) => overlong.push({ bytes, ...about }) });
  const writer = limit.writable.getWriter();
  const written = (async () => {
    for (const piece of pieces) await writer.write(Buffer.from(piece));
    await writer.close();
  })().catch(() => undefined);
  let text = '';
  for await (const part of limit.readable) text += Buffer.from(part).toString();
  await written;
  return { text, overlong };
}

const long = (id: string) => `data: {"jsonrpc":"2.0"${id},"result":{"x":"${'x'.repeat(200)}"}}`;

describe('eventLimit', () => {
  it.each(['\n', '\r\n', '\r'])('passes on events with line end %j in chunks of any size', async (newline) => {
    const text = ['data: a', 'id: 1', '', 'data: b', '', ': ping', '', ''].join(newline);
    for (let size = 1; size <= text.length; size += 1) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
        text.slice(n * size, (n + 1) * size),
      );
      expect(await through(pieces, 20, 'end')).toEqual({ text, overlong: [] });
    }
  });

  it.each(['\n', '\r\n', '\r'])('drops an oversized event between others with line end %j', async (newline) => {
    const end = `${newline}${newline}`;
    const text = `data: a${end}${long(',"id":7')}${end}data: b${end}`;
    for (const size of [1, 2, 3, 7, 50, 100, text.length]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
        text.slice(n * size, (n + 1) * size),
      );
      const { text: passed, overlong } = await through(pieces, 100, 'skip');
      expect(overlong).toEqual([{ bytes: long(',"id":7').length + end.length, id: 7, isRequest: false }]);
      expect(passed.startsWith(`data: a${end}`)).toBe(true);
      expect(passed.endsWith(`data: b${end}`)).toBe(true);
      expect(passed.length).toBeLessThan(150);
    }
  });

  it('ends a stream for one request after an oversized event', async () => {
    const { overlong } = await through(['data: a\n\n', 'data: ', 'x'.repeat(200), 'never read'], 100, 'end');
    expect(overlong).toEqual([{ bytes: 206, id: undefined, isRequest: false }]);
  });

  it('continues to the answer after an oversized notification', async () => {
    const told = `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${'x'.repeat(200)}"}}\n\n`;
    const answer = 'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n';
    for (const size of [1, 7, 90, 1_000]) {
      const text = told + answer;
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
        text.slice(n * size, (n + 1) * size),
      );
      const { text: passed, overlong } = await through(pieces, 100, 'end');
      expect(overlong).toEqual([{ bytes: told.length, id: undefined, isRequest: true }]);
      expect(passed.endsWith(answer)).toBe(true);
    }
  });

  it('takes linear time for a million empty events', async () => {
    const start = performance.now();
    await through(['\n'.repeat(1_000_000)], 100, 'skip');
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

describe('an oversized event', () => {
  it.each([
    { title: 'an id at the beginning', text: `{"jsonrpc":"2.0","id":3,"result":{"id":9,"x":"LONG"}}`, id: 3 },
    { title: 'an id at the end', text: `{"result":{"id":9,"x":"LONG"},"jsonrpc":"2.0","id":4}`, id: 4 },
    { title: 'a string id', text: '{"id":"a","result":"LONG"}', id: 'a' },
    { title: 'no id, with one nested inside', text: `{"method":"n","params":{"x":"LONG","id":5}}`, isRequest: true },
    {
      title: 'no id, with a string that looks like one',
      text: `{"method":"n","params":"LONG,\\"id\\":5}"}`,
      isRequest: true,
    },
    {
      title: 'the id of a server request',
      text: `{"method":"n","params":"LONG","jsonrpc":"2.0","id":6}`,
      id: 6,
      isRequest: true,
    },
  ])('is reported with $title', async ({ text, id, isRequest = false }) => {
    const event = `data: ${text.replace('LONG', 'x'.repeat(2_000))}\n\n`;
    const { overlong } = await through([event], 100, 'skip');
    expect(overlong).toEqual([{ bytes: event.length, id, isRequest }]);
  });
});
