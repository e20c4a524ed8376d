import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { MAX_AT_ONCE_BYTES, readLargeLine } from './large-line.js';
import { type Incoming, parseLine } from './message.js';
import { StreamChannel } from './stream-channel.js';

const LONG = 'x'.repeat(MAX_AT_ONCE_BYTES);
const ID = 7;
/** Replaced with a byte that is not valid in UTF-8. */
const NO_UTF8 = '<ff>';

/** A line in its own buffer, as the splitter joins it from chunks. */
function line(result: string, end = ''): Buffer {
  const bytes = Buffer.concat([Buffer.from('{"result":'), Buffer.from(`${result},"jsonrpc":"2.0","id":${ID}}${end}`)]);
  const at = bytes.indexOf(NO_UTF8);
  if (at >= 0) bytes[at] = 0xff;
  return bytes;
}

const text = (more: object = {}) => JSON.stringify({ content: [{ type: 'text', text: LONG }], ...more });

describe('readLargeLine', () => {
  it('parses small members of a result, and keeps the others as received bytes', async () => {
    const json = text({ isError: true, resultType: 'complete', note: null });
    const [message] = await readLargeLine(line(json), 128);
    if (message?.kind !== 'result') throw new Error('it is a result');
    expect([message.id, String(message.json) === json]).toEqual([ID, true]);
    const result = message.result as Record<string, unknown>;
    expect([result.isError, result.resultType, result.note]).toEqual([true, 'complete', null]);
    expect(Object.getOwnPropertyDescriptor(result, 'content')?.get).toBeTypeOf('function');
    expect(Object.keys(result)).toEqual(['content', 'isError', 'resultType', 'note']);
  });

  it('parses the complete result on access', async () => {
    const [message] = await readLargeLine(line(text({ _meta: { a: [1] } })), 128);
    const { result } = message as Extract<Incoming, { kind: 'result' }>;
    expect(JSON.stringify({ ...(result as object) }) === text({ _meta: { a: [1] } })).toBe(true);
  });

  it.each([
    { title: 'is not JSON', json: `{"content":"${LONG}" oops}` },
    { title: 'is two values', json: `{"content":"${LONG}"},"more":{}` },
    { title: 'is not UTF-8', json: `{"content":"${LONG}${NO_UTF8}"}` },
    { title: 'is not an object', json: `"${LONG}"` },
    { title: 'contains U+2028', json: `{"content":"${LONG}\u2028"}` },
    {
      title: 'has the member __proto__',
      json: `{"__proto__":{"polluted":1},"content":"${LONG}"}`,
    },
    { title: 'has a member twice', json: `{"isError":true,"content":"${LONG}","isError":false}` },
    { title: 'has quotes and backslashes in a text', json: JSON.stringify({ content: `\\"[[${LONG}\\`, b: '"' }) },
  ])('parses a line that $title like a short line', async ({ json }) => {
    const expected = parseLine(line(json), 128);
    const read = await readLargeLine(line(json), 128);
    const plain = (messages: readonly Incoming[]) =>
      JSON.stringify(messages.map((one) => ('json' in one ? { ...one, json: String(one.json) } : one)));
    expect(plain(read) === plain(expected)).toBe(true);
  });

  it('rejects a result over the depth limit with its id, and accepts one at the limit', async () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)},"content":"${LONG}"}`;
    const [deep] = await readLargeLine(line(nested(127)), 128);
    expect(deep).toEqual({
      ...{ kind: 'invalid', id: ID, isAnswer: true },
      fault: { code: -32600, message: 'nested deeper than 128' },
    });
    expect(await readLargeLine(line(nested(126)), 128)).toMatchObject([{ kind: 'result', id: ID }]);
  });

  it('parses a line that shares its buffer with other data', async () => {
    const shared = Buffer.concat([line(text()), Buffer.from('something else')]);
    const part = shared.subarray(0, -'something else'.length);
    expect(await readLargeLine(part, 128)).toMatchObject([{ kind: 'result', id: ID }]);
    expect(String(shared.subarray(-'something else'.length))).toBe('something else');
  });
});

describe('a channel that receives a large line', () => {
  const notificationLine = (method: string) => `${JSON.stringify({ jsonrpc: '2.0', method })}\n`;

  function opened() {
    const received: string[] = [];
    const [input, output] = [new PassThrough(), new PassThrough()];
    const channel = new StreamChannel(input, output, () => ({ maxLineBytes: 64 * 1024 * 1024, maxDepth: 128 }));
    channel.start({
      message: (message) => received.push(message.kind === 'notification' ? message.method : message.kind),
      overlong: () => received.push('overlong'),
      undelivered: () => received.push('undelivered'),
      onClose: () => received.push('closed'),
    });
    // In chunks that do not pause the stream.
    const write = (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += 60_000) input.write(bytes.subarray(at, at + 60_000));
    };
    return { input, output, heard: received, write };
  }

  it('delivers later messages after it, and the close at the end', async () => {
    const { input, heard: received, write } = opened();
    const large = line(text(), '\n');
    write(
      Buffer.concat([
        Buffer.from(notificationLine('before')),
        large,
        Buffer.from(notificationLine('after') + notificationLine('and then')),
        large,
      ]),
    );
    input.end(notificationLine('last'));
    await expect.poll(() => received.at(-1), { timeout: 10_000 }).toBe('closed');
    expect(received).toEqual(['before', 'result', 'after', 'and then', 'result', 'last', 'closed']);
  });

  it('delivers it even if the other side disconnects', async () => {
    const { input, output, heard: received, write } = opened();
    write(line(text(), '\n'));
    await expect.poll(() => input.isPaused()).toBe(true);
    output.destroy();
    await expect.poll(() => received, { timeout: 10_000 }).toEqual(['result', 'closed']);
  });
});
