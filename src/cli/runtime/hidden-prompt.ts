import type { ReadStream, WriteStream } from 'node:tty';
import { ErrorCode, PortolanError } from '../../base/index.js';

const ENTER = new Set(['\r', '\n', '\u0004']);
const CANCEL = '\u0003';
const ERASE = new Set(['\u007f', '\b']);
/** No secret is longer; the rest would be a file by mistake. */
const MAX_CHARACTERS = 64 * 1024;

/** Asks at the terminal without showing what is typed. */
export async function askHidden(question: string, input: ReadStream, output: WriteStream): Promise<string> {
  // Before the question, so that an early answer is not shown either.
  input.setRawMode(true);
  input.setEncoding('utf8');
  output.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      let typed: string[] = [];
      const onData = (text: string) => {
        for (const character of text) {
          if (ENTER.has(character)) return done(() => resolve(typed.join('')));
          if (character === CANCEL)
            return done(() => reject(new PortolanError(ErrorCode.Cancelled, 'nothing was stored')));
          if (ERASE.has(character)) typed = typed.slice(0, -1);
          else if (character >= ' ' && typed.length < MAX_CHARACTERS) typed.push(character);
        }
      };
      const done = (act: () => void) => {
        input.off('data', onData);
        act();
      };
      input.on('data', onData);
      input.resume();
    });
  } finally {
    input.setRawMode(false);
    input.pause();
    output.write('\n');
  }
}
