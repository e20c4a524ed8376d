import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { writeLine } from './daemon-connection.js';

/** A stream that buffers all writes, like a slow reader. */
function slow(): { output: Writable; held: Buffer[]; read: () => string } {
  const held: Buffer[] = [];
  const output = new Writable({ write: (chunk: Buffer) => void held.push(chunk), writev: undefined });
  return { output, held, read: () => Buffer.concat(held).toString() };
}

describe('writeLine', () => {
  it('sends a line with its original newline and without a copy', () => {
    const chunk = Buffer.from(new Uint8Array(Buffer.from('{"a":1}\n{"b":2}\n')).buffer);
    const { output, held, read } = slow();
    writeLine(output, chunk.subarray(0, 7));
    expect(read()).toBe('{"a":1}\n');
    expect(held[0]?.buffer).toBe(chunk.buffer);
  });

  it.each([
    { title: 'nothing follows it', line: Buffer.from(new Uint8Array(Buffer.from('{"a":1}')).buffer) },
    {
      title: 'a carriage return follows it',
      line: Buffer.from(new Uint8Array(Buffer.from('{"a":1}\r\n')).buffer).subarray(0, 7),
    },
  ])('adds a newline if $title', ({ line }) => {
    const { output, read } = slow();
    writeLine(output, line);
    expect(read()).toBe('{"a":1}\n');
  });

  it('does not use the byte after a line in the buffer pool of Node as its newline', { tags: 'G3' }, () => {
    // A newline after a line in the pool belongs to free memory, which the next allocation overwrites.
    const pooled = Buffer.from('{"a":1}\n');
    expect(pooled.buffer.byteLength).toBe(Buffer.poolSize);
    const { output, read } = slow();
    writeLine(output, pooled.subarray(0, 7));
    pooled.fill('x', 7);
    expect(read()).toBe('{"a":1}\n');
  });
});
