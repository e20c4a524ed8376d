import { isAscii } from 'node:buffer';
import type { ChannelListener } from './channel.js';
import { parseAscii } from './message.js';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = '\r';
/** What is longer has few lines, for which the usual way costs no more. */
const MAX_PIECE_BYTES = 16 * 1024;

/**
 * Reads a piece of what came that is plain: a few short lines, whole, in ASCII. Most are, and so they cost a third less than
 * line by line. Nothing of any other is read, and the answer is false.
 */
export function readAsciiLines(
  bytes: Buffer,
  { maxLineBytes, maxDepth }: { readonly maxLineBytes: number; readonly maxDepth: number },
  listener: Pick<ChannelListener, 'message'>,
): boolean {
  if (bytes.length > MAX_PIECE_BYTES || bytes.length > maxLineBytes || bytes[bytes.length - 1] !== NEWLINE)
    return false;
  if (!isAscii(bytes)) return false;
  const text = bytes.toString('latin1');
  if (text.includes(CARRIAGE_RETURN)) return false; // may belong to the end of a line, or be taken for one
  let from = 0;
  for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
    if (to > from) for (const message of parseAscii({ bytes, text }, from, to, maxDepth)) listener.message(message);
    from = to + 1;
  }
  return true;
}
