import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { writeLine } from './daemon-connection.js';

/** Takes nothing yet: what is written waits, as with a slow reader. */
function slow(): { output: Writable; held: Buffer[]; read: () => string } {
  const held: Buffer[] = [];
  const output = new Writable({ write: (chunk: Buffer) => void held.push(chunk), writev: undefined });
  return { output, held, read: () => Buffer.concat(held).toString() };
}

describe('writeLine', () => {
  it('sends a line with the newline it came with, uncopied', () => {
    const chunk = Buffer.from(new Uint8Array(Buffer.from('{"a":1}\n{"b":2}\n')).buffer);
    const { output, held, read } = slow();
    writeLine(output, chunk.subarray(0, 7));
    expect(read()).toBe('{"a":1}\n');
    expect(held[0]?.buffer).toBe(chunk.buffer);
  });

  it.each([
    { title: 'nothing is behind it', line: Buffer.from(new Uint8Array(Buffer.from('{"a":1}')).buffer) },
    {
      title: 'a carriage return is behind it',
      line: Buffer.from(new Uint8Array(Buffer.from('{"a":1}\r\n')).buffer).subarray(0, 7),
    },
  ])('ends a line where $title', ({ line }) => {
    const { output, read } = slow();
    writeLine(output, line);
    expect(read()).toBe('{"a":1}\n');
  });

  it('never takes for its newline what others may write over, as in the pool of Node (G3)', () => {
    // A line in the pool with a newline behind it that is nobody's: the next who gets memory there writes over it.
    const pooled = Buffer.from('{"a":1}\n');
    expect(pooled.buffer.byteLength).toBe(Buffer.poolSize);
    const { output, read } = slow();
    writeLine(output, pooled.subarray(0, 7));
    pooled.fill('x', 7);
    expect(read()).toBe('{"a":1}\n');
  });
});
