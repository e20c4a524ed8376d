import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from './line-splitter.js';

type Heard = string | { readonly bytes: number; readonly id: number | string | undefined; readonly isRequest: boolean };

function split(chunks: readonly (string | Uint8Array)[], maxBytes = 1_000): Heard[] {
  const heard: Heard[] = [];
  const splitter = new LineSplitter(() => maxBytes, {
    line: (bytes) => heard.push(bytes.toString()),
    overlong: (line) => heard.push(line),
  });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return heard;
}

describe('LineSplitter', () => {
  it.each([
    { title: 'one line', chunks: ['a\n'], heard: ['a'] },
    { title: 'several lines in one piece', chunks: ['a\nb\nc\n'], heard: ['a', 'b', 'c'] },
    { title: 'one line in many pieces', chunks: ['a', 'b', '', 'c\n'], heard: ['abc'] },
    { title: 'Windows ends', chunks: ['a\r\nb\r', '\nc\r\n'], heard: ['a', 'b', 'c'] },
    { title: 'empty lines', chunks: ['\n\r\n\n', 'a\n\n'], heard: ['a'] },
    { title: 'a last line without an end', chunks: ['a\nb'], heard: ['a', 'b'] },
    { title: 'a carriage return within a line', chunks: ['a\rb\n'], heard: ['a\rb'] },
    { title: 'a character cut in two', chunks: [new Uint8Array([0xc3]), new Uint8Array([0xa4, 0x0a])], heard: ['ä'] },
    { title: 'NUL', chunks: ['\0a\0\n'], heard: ['\0a\0'] },
    { title: 'nothing', chunks: [], heard: [] },
  ])('gives the lines of $title', ({ chunks, heard }) => {
    expect(split(chunks)).toEqual(heard);
  });

  it.each([
    { title: 'is as long as allowed', chunks: ['{"id":12}\n'], heard: ['{"id":12}'] },
    { title: 'is one byte longer', chunks: ['{"id":123}\n'], heard: [{ bytes: 10, id: 123, isRequest: false }] },
    {
      title: 'comes in pieces',
      chunks: ['{"x', '":[1,2],"', 'id":"s"', '}\n'],
      heard: [{ bytes: 20, id: 's', isRequest: false }],
    },
    { title: 'has no id', chunks: ['xxxxxxxxxxxxx\n'], heard: [{ bytes: 13, id: undefined, isRequest: false }] },
    {
      title: 'asks for something',
      chunks: ['{"id":1,"method":"m"}\n'],
      heard: [{ bytes: 21, id: 1, isRequest: true }],
    },
    { title: 'never ends', chunks: ['{"id":7,"x":', '1111'], heard: [{ bytes: 16, id: 7, isRequest: false }] },
    {
      title: 'is followed by others',
      chunks: ['{"id":1,"x":1}\nok\n'],
      heard: [{ bytes: 14, id: 1, isRequest: false }, 'ok'],
    },
  ])('keeps nothing but the id of a line that $title beyond 9 bytes', ({ chunks, heard }) => {
    expect(split(chunks, 9)).toEqual(heard);
  });

  it('heeds a limit that changes meanwhile', () => {
    let limit = 3;
    const heard: Heard[] = [];
    const splitter = new LineSplitter(() => limit, {
      line: (bytes) => heard.push(bytes.toString()),
      overlong: (line) => heard.push(line),
    });
    splitter.push(Buffer.from('abcd\n'));
    limit = 4;
    splitter.push(Buffer.from('abcd\n'));
    expect(heard).toEqual([{ bytes: 4, id: undefined, isRequest: false }, 'abcd']);
  });

  it('gives the same lines however the stream is cut', () => {
    const anyText = fc.array(fc.constantFrom('a', 'ä', '\r', '\n', '{', '"', '\0'), { maxLength: 60 });
    const property = fc.property(anyText, fc.array(fc.nat(20), { maxLength: 20 }), (parts, cuts) => {
      const whole = Buffer.from(parts.join(''));
      const pieces: Buffer[] = [];
      let from = 0;
      for (const cut of cuts) {
        pieces.push(whole.subarray(from, from + cut));
        from += cut;
      }
      pieces.push(whole.subarray(from));
      const expected = whole
        .toString()
        .split('\n')
        .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
        .filter((line) => line !== '');
      expect(split(pieces)).toEqual(expected);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('takes ten times as long for ten times the bytes, not a hundred times', () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    const timeFor = (pieces: number) => {
      const lines: number[] = [];
      const splitter = new LineSplitter(() => Number.POSITIVE_INFINITY, {
        line: (bytes) => lines.push(bytes.length),
        overlong: () => undefined,
      });
      const start = performance.now();
      for (let n = 0; n < pieces; n += 1) splitter.push(piece);
      splitter.end();
      expect(lines).toEqual([pieces * piece.length]);
      return performance.now() - start;
    };
    timeFor(16); // warm
    const small = Math.max(1, Math.min(timeFor(80), timeFor(80), timeFor(80)));
    const large = Math.min(timeFor(800), timeFor(800));
    expect(large / small).toBeLessThan(50);
  });
});
