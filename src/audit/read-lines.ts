import { MAX_AUDIT_LINE_BYTES } from './audit-line.js';
import { openOwn } from './private-files.js';

/** A line of a log file: torn if it has no line end (only the last one), or too long for one of ours. */
export interface TextLine {
  readonly kind: 'whole' | 'torn' | 'too-long';
  readonly text: string;
}

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/**
 * Reads the lines of a file, a chunk at a time, because yielding single lines costs more than verifying them. Stops at
 * a line that is too long.
 */
export async function* readLines(path: string): AsyncGenerator<readonly TextLine[]> {
  const file = await openOwn(path);
  try {
    let rest = Buffer.alloc(0);
    for (let position = 0; ; ) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const lines: TextLine[] = [];
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        lines.push({
          kind: end - start > MAX_AUDIT_LINE_BYTES ? 'too-long' : 'whole',
          text: bytes.toString('utf8', start, end),
        });
        start = end + 1;
      }
      rest = bytes.subarray(start);
      if (rest.length > MAX_AUDIT_LINE_BYTES) {
        yield [...lines, { kind: 'too-long', text: '' }];
        return;
      }
      yield lines;
    }
    if (rest.length > 0) yield [{ kind: 'torn', text: rest.toString() }];
  } finally {
    await file.close();
  }
}
