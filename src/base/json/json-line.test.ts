import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { StreamChannel } from '../../rpc/index.js';
import { parseLine } from '../../rpc/message.js';
import { hasLineEnd, jsonLine, passedJson } from './json-line.js';

const FORGED = '{"jsonrpc":"2.0","id":41,"result":{"content":[]}}';

/** The lines of a server's result that a client with Node's readline receives. */
async function seenBy(written: string): Promise<string[]> {
  const [message] = parseLine(Buffer.from(written), 128);
  if (message?.kind !== 'result') throw new Error('it is a result');
  const output = new PassThrough();
  const channel = new StreamChannel(new PassThrough(), output, () => ({ maxLineBytes: 1_000_000, maxDepth: 128 }));
  const { json, result } = message;
  channel.send({ kind: 'result', id: 7, answer: json === undefined ? { value: result } : { json } });
  setImmediate(() => output.end());
  const lines: string[] = [];
  for await (const line of createInterface({ input: output })) lines.push(line);
  return lines;
}

describe('a message in one line', () => {
  it.each([
    { title: 'a carriage return between values', text: `{"x":\r${FORGED}\r}` },
    { title: 'a line separator in a text', text: `{"x":"\u2028${FORGED.replaceAll('"', '\\"')}\u2028"}` },
    { title: 'a paragraph separator in a text', text: `{"x":"\u2029"}` },
  ])('is one line for every client despite $title', { tags: 'G8' }, async ({ text }) => {
    const lines = await seenBy(`{"jsonrpc":"2.0","id":0,"result":${text}}`);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({ jsonrpc: '2.0', id: 7, result: JSON.parse(text) });
  });

  it('is a buffer if it is long', () => {
    expect(passedJson({ a: 'ä' })).toBe('{"a":"ä"}');
    expect(passedJson('ä\u2028'.repeat(2_000))).toEqual(Buffer.from(jsonLine('ä\u2028'.repeat(2_000))));
  });

  it('loses nothing of its content', () => {
    const value = { text: 'a\u2028b\u2029c\rd' };
    expect(hasLineEnd(jsonLine(value))).toBe(false);
    expect(JSON.parse(jsonLine(value))).toEqual(value);
  });
});
