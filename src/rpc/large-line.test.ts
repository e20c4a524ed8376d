import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { MAX_AT_ONCE_BYTES, readLargeLine } from './large-line.js';
import { type Incoming, parseLine } from './message.js';
import { StreamChannel } from './stream-channel.js';

const LONG = 'x'.repeat(MAX_AT_ONCE_BYTES);
const ID = 7;
/** Stands for a byte that is part of no character. */
const NO_UTF8 = '<ff>';

/** A line in memory of its own, as a splitter makes one of many pieces. */
function line(result: string, end = ''): Buffer {
  const bytes = Buffer.concat([Buffer.from('{"result":'), Buffer.from(`${result},"jsonrpc":"2.0","id":${ID}}${end}`)]);
  const at = bytes.indexOf(NO_UTF8);
  if (at >= 0) bytes[at] = 0xff;
  return bytes;
}

const text = (more: object = {}) => JSON.stringify({ content: [{ type: 'text', text: LONG }], ...more });

describe('readLargeLine', () => {
  it('knows what is small of a result, and keeps the rest as the bytes that came', async () => {
    const json = text({ isError: true, resultType: 'complete', note: null });
    const [message] = await readLargeLine(line(json), 128);
    if (message?.kind !== 'result') throw new Error('it is a result');
    expect([message.id, String(message.json) === json]).toEqual([ID, true]);
    const result = message.result as Record<string, unknown>;
    expect([result.isError, result.resultType, result.note]).toEqual([true, 'complete', null]);
    expect(Object.getOwnPropertyDescriptor(result, 'content')?.get).toBeTypeOf('function');
    expect(Object.keys(result)).toEqual(['content', 'isError', 'resultType', 'note']);
  });

  it('gives the whole to whoever asks for it', async () => {
    const [message] = await readLargeLine(line(text({ _meta: { a: [1] } })), 128);
    const { result } = message as Extract<Incoming, { kind: 'result' }>;
    expect(JSON.stringify({ ...(result as object) }) === text({ _meta: { a: [1] } })).toBe(true);
  });

  it.each([
    { title: 'is no JSON', json: `{"content":"${LONG}" oops}` },
    { title: 'is two values', json: `{"content":"${LONG}"},"more":{}` },
    { title: 'is no UTF-8', json: `{"content":"${LONG}${NO_UTF8}"}` },
    { title: 'is no object', json: `"${LONG}"` },
    { title: 'holds the end of a line of others', json: `{"content":"${LONG}\u2028"}` },
    {
      title: 'has a member that means something to JavaScript',
      json: `{"__proto__":{"polluted":1},"content":"${LONG}"}`,
    },
    { title: 'has a member twice', json: `{"isError":true,"content":"${LONG}","isError":false}` },
    { title: 'has quotes and backslashes in a text', json: JSON.stringify({ content: `\\"[[${LONG}\\`, b: '"' }) },
  ])('reads what $title as a short line is read', async ({ json }) => {
    const expected = parseLine(line(json), 128);
    const read = await readLargeLine(line(json), 128);
    const plain = (messages: readonly Incoming[]) =>
      JSON.stringify(messages.map((one) => ('json' in one ? { ...one, json: String(one.json) } : one)));
    expect(plain(read) === plain(expected)).toBe(true);
  });

  it('refuses to whoever waits for it what nests too deep, and not what is as deep as it may be', async () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)},"content":"${LONG}"}`;
    const [deep] = await readLargeLine(line(nested(127)), 128);
    expect(deep).toEqual({
      ...{ kind: 'invalid', id: ID, isAnswer: true },
      fault: { code: -32600, message: 'nested deeper than 128' },
    });
    expect(await readLargeLine(line(nested(126)), 128)).toMatchObject([{ kind: 'result', id: ID }]);
  });

  it('reads a line whose memory holds something else', async () => {
    const shared = Buffer.concat([line(text()), Buffer.from('something else')]);
    const part = shared.subarray(0, -'something else'.length);
    expect(await readLargeLine(part, 128)).toMatchObject([{ kind: 'result', id: ID }]);
    expect(String(shared.subarray(-'something else'.length))).toBe('something else');
  });
});

describe('a channel on which a large line comes', () => {
  const told = (method: string) => `${JSON.stringify({ jsonrpc: '2.0', method })}\n`;

  function opened() {
    const heard: string[] = [];
    const [input, output] = [new PassThrough(), new PassThrough()];
    const channel = new StreamChannel(input, output, () => ({ maxLineBytes: 64 * 1024 * 1024, maxDepth: 128 }));
    channel.start({
      message: (message) => heard.push(message.kind === 'notification' ? message.method : message.kind),
      overlong: () => heard.push('overlong'),
      undelivered: () => heard.push('undelivered'),
      onClose: () => heard.push('closed'),
    });
    // In pieces after which nothing else makes it pause.
    const write = (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += 60_000) input.write(bytes.subarray(at, at + 60_000));
    };
    return { input, output, heard, write };
  }

  it('hands on what comes after it later, and its end last', async () => {
    const { input, heard, write } = opened();
    const large = line(text(), '\n');
    write(Buffer.concat([Buffer.from(told('before')), large, Buffer.from(told('after') + told('and then')), large]));
    input.end(told('last'));
    await expect.poll(() => heard.at(-1), { timeout: 10_000 }).toBe('closed');
    expect(heard).toEqual(['before', 'result', 'after', 'and then', 'result', 'last', 'closed']);
  });

  it('hands it on also if the other end leaves meanwhile', async () => {
    const { input, output, heard, write } = opened();
    write(line(text(), '\n'));
    await expect.poll(() => input.isPaused()).toBe(true);
    output.destroy();
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['result', 'closed']);
  });
});
