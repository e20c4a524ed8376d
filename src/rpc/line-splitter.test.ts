import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from './line-splitter.js';

type Output =
  | string
  | { readonly bytes: number; readonly id: number | string | undefined; readonly isRequest: boolean };

function split(chunks: readonly (string | Uint8Array)[], maxBytes = 1_000): Output[] {
  const output: Output[] = [];
  const splitter = new LineSplitter(() => maxBytes, {
    line: (bytes) => output.push(bytes.toString()),
    overlong: (line) => output.push(line),
  });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return output;
}

describe('LineSplitter', () => {
  it.each([
    { title: 'one line', chunks: ['a\n'], output: ['a'] },
    { title: 'several lines in one chunk', chunks: ['a\nb\nc\n'], output: ['a', 'b', 'c'] },
    { title: 'one line in many chunks', chunks: ['a', 'b', '', 'c\n'], output: ['abc'] },
    { title: 'Windows line ends', chunks: ['a\r\nb\r', '\nc\r\n'], output: ['a', 'b', 'c'] },
    { title: 'empty lines', chunks: ['\n\r\n\n', 'a\n\n'], output: ['a'] },
    { title: 'a last line without an end', chunks: ['a\nb'], output: ['a', 'b'] },
    { title: 'a carriage return within a line', chunks: ['a\rb\n'], output: ['a\rb'] },
    {
      title: 'a character in two chunks',
      chunks: [new Uint8Array([0xc3]), new Uint8Array([0xa4, 0x0a])],
      output: ['ä'],
    },
    { title: 'NUL', chunks: ['\0a\0\n'], output: ['\0a\0'] },
    { title: 'nothing', chunks: [], output: [] },
  ])('returns the lines of $title', ({ chunks, output }) => {
    expect(split(chunks)).toEqual(output);
  });

  it.each([
    { title: 'has exactly the maximum length', chunks: ['{"id":12}\n'], output: ['{"id":12}'] },
    { title: 'is one byte longer', chunks: ['{"id":123}\n'], output: [{ bytes: 10, id: 123, isRequest: false }] },
    {
      title: 'arrives in chunks',
      chunks: ['{"x', '":[1,2],"', 'id":"s"', '}\n'],
      output: [{ bytes: 20, id: 's', isRequest: false }],
    },
    { title: 'has no id', chunks: ['xxxxxxxxxxxxx\n'], output: [{ bytes: 13, id: undefined, isRequest: false }] },
    {
      title: 'is a request',
      chunks: ['{"id":1,"method":"m"}\n'],
      output: [{ bytes: 21, id: 1, isRequest: true }],
    },
    { title: 'never ends', chunks: ['{"id":7,"x":', '1111'], output: [{ bytes: 16, id: 7, isRequest: false }] },
    {
      title: 'is followed by others',
      chunks: ['{"id":1,"x":1}\nok\n'],
      output: [{ bytes: 14, id: 1, isRequest: false }, 'ok'],
    },
  ])('keeps only the id of a line over 9 bytes, if it $title', ({ chunks, output }) => {
    expect(split(chunks, 9)).toEqual(output);
  });

  it('applies a changed limit', () => {
    let limit = 3;
    const output: Output[] = [];
    const splitter = new LineSplitter(() => limit, {
      line: (bytes) => output.push(bytes.toString()),
      overlong: (line) => output.push(line),
    });
    splitter.push(Buffer.from('abcd\n'));
    limit = 4;
    splitter.push(Buffer.from('abcd\n'));
    expect(output).toEqual([{ bytes: 4, id: undefined, isRequest: false }, 'abcd']);
  });

  it('returns the same lines for any chunks', () => {
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

  it('takes linear time', () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    const timeFor = (pieces: number) => {
      const lines: number[] = [];
      const splitter = new LineSplitter(() => Number.POSITIVE_INFINITY, {
        line: (bytes) => lines.push(bytes.length),
        overlong: () => undefined,
      });
      // CPU time, because a busy machine distorts the elapsed time.
      const start = process.cpuUsage();
      for (let n = 0; n < pieces; n += 1) splitter.push(piece);
      splitter.end();
      expect(lines).toEqual([pieces * piece.length]);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    };
    timeFor(16); // warm
    const small = Math.max(1, Math.min(timeFor(80), timeFor(80), timeFor(80)));
    const large = Math.min(timeFor(800), timeFor(800));
    expect(large / small).toBeLessThan(50);
  });
});
