import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAsciiLines } from './ascii-lines.js';
import type { Incoming } from './message.js';
import { StreamChannel } from './stream-channel.js';

const LIMITS = { maxLineBytes: 1_000, maxDepth: 8 };

function read(piece: string | Buffer, limits = LIMITS) {
  const messages: Incoming[] = [];
  const isRead = readAsciiLines(Buffer.from(piece), limits, { message: (message) => messages.push(message) });
  return { isRead, messages };
}

/** The same bytes as they come one at a time, when no piece is ever a whole line. */
async function readByteByByte(piece: string): Promise<readonly Incoming[]> {
  const messages: Incoming[] = [];
  const input = new PassThrough();
  const nothing = () => undefined;
  new StreamChannel(input, new PassThrough(), () => LIMITS).start({
    message: (message) => messages.push(message),
    ...{ overlong: nothing, undelivered: nothing, onClose: nothing },
  });
  for (const byte of Buffer.from(piece)) input.write(Buffer.of(byte));
  await new Promise((resolve) => setImmediate(resolve));
  return messages;
}

/** Whoever reads a result as text and whoever reads it as bytes pass on the same. */
const plain = (messages: readonly Incoming[]) =>
  messages.map((message) =>
    message.kind === 'result' && message.json !== undefined ? { ...message, json: String(message.json) } : message,
  );

const depth = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('readAsciiLines', () => {
  it('reads all that one piece holds, in its order', () => {
    const piece = [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}',
      '',
      '{"result":{"a":1},"jsonrpc":"2.0","id":2}',
      '{"jsonrpc":"2.0","id":3,"result":[]}',
      'noise',
      '[{"jsonrpc":"2.0","method":"m"},7]',
      '',
    ].join('\n');
    expect(read(piece)).toEqual({
      isRead: true,
      messages: [
        { kind: 'request', id: 1, method: 'tools/call', params: { name: 'a' } },
        { kind: 'result', id: 2, result: { a: 1 }, json: '{"a":1}' },
        { kind: 'result', id: 3, result: [], json: '[]' },
        { kind: 'invalid', id: undefined, fault: { code: -32700, message: 'not valid JSON' } },
        { kind: 'notification', method: 'm', params: undefined },
        { kind: 'invalid', id: undefined, fault: { code: -32600, message: 'a message is an object' } },
      ],
    });
  });

  it.each([
    { title: 'a line that has not ended', piece: '{"jsonrpc":"2.0","method":"m"}\n{"json' },
    { title: 'a letter that is not ASCII', piece: '{"jsonrpc":"2.0","method":"ä"}\n' },
    { title: 'a byte that is no letter at all', piece: Buffer.from([0x22, 0xff, 0x22, 0x0a]) },
    { title: 'the mark of UTF-8', piece: '\uFEFF{"jsonrpc":"2.0","method":"m"}\n' },
    { title: 'a carriage return', piece: '{"jsonrpc":"2.0","method":"m"}\r\n' },
    { title: 'more than a line may have', piece: `${' '.repeat(1_000)}\n` },
    { title: 'nothing', piece: '' },
  ])('leaves $title to who reads byte by byte', ({ piece }) => {
    expect(read(piece)).toEqual({ isRead: false, messages: [] });
  });

  it('leaves a long piece to who copies nothing', () => {
    const long = `{"result":"${'x'.repeat(20_000)}","jsonrpc":"2.0","id":1}\n`;
    expect(read(long, { maxLineBytes: 1_000_000, maxDepth: 8 }).isRead).toBe(false);
  });

  it.each([
    { title: 'closers in the line before it', before: ']'.repeat(40) },
    { title: 'a text that does not end in the line before it', before: '{"a":"' },
    { title: 'a line as deep as is allowed before it', before: depth(8) },
  ])('refuses what nests too deep, behind $title', ({ before }) => {
    const { messages } = read(`${before}\n{"result":${depth(9)},"jsonrpc":"2.0","id":4}\n`);
    expect(messages.at(-1)).toEqual({
      kind: 'invalid',
      id: 4,
      fault: { code: -32600, message: 'nested deeper than 8' },
      isAnswer: true,
    });
  });

  it('takes no part of one line for the beginning of a result in the next', () => {
    const { messages } = read('{"result":1,"jsonrpc":"2.0","id":\n7}\n{"jsonrpc":"2.0","id":8,"result":\n2}\n');
    expect(messages.map(({ kind }) => kind)).toEqual(['invalid', 'invalid', 'invalid', 'invalid']);
  });

  it('reads every line as it is read byte by byte', async () => {
    const words = ['{"result":', ',"jsonrpc":"2.0","id":', '{"jsonrpc":"2.0","id":', ',"result":', '"method":"m"', '}'];
    const part = fc.oneof(
      fc.constantFrom(...words, '12', '0', '007', '"', '\\', '\\"', '[', ']', '{', ',', ':', ' ', '{}', depth(9)),
      fc.json({ maxDepth: 3 }).map((json) => json.replaceAll(/[^ -~]/g, '?')),
    );
    const message = fc.tuple(fc.json({ maxDepth: 3 }), fc.nat(99), fc.boolean()).map(([json, id, isFirst]) => {
      const result = json.replaceAll(/[^ -~]/g, '?');
      return isFirst
        ? `{"result":${result},"jsonrpc":"2.0","id":${id}}`
        : `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
    });
    const line = fc.oneof(
      message,
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 4 }), async (lines) => {
        const piece = `${lines.join('\n')}\n`;
        fc.pre(piece.length <= LIMITS.maxLineBytes);
        const { isRead, messages } = read(piece);
        expect(isRead).toBe(true);
        expect(plain(messages)).toEqual(plain(await readByteByByte(piece)));
      }),
      { numRuns: 2_000 },
    );
  });
});
