import { ErrorCode, PortolanError } from '../../base/index.js';

/** A limit for a wrong file or an endless pipe. */
const MAX_BYTES = 1024 * 1024;

/** The text of a file, or of stdin if the path is `-`. */
export async function readProgram(path: string): Promise<string> {
  const { createReadStream } = process.getBuiltinModule('node:fs');
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of path === '-' ? process.stdin : createReadStream(path)) {
      const chunk = Buffer.from(part);
      bytes += chunk.length;
      if (bytes > MAX_BYTES)
        throw new PortolanError(ErrorCode.Usage, `${path} is larger than the limit of ${MAX_BYTES} bytes`, {
          hint: 'check the path, or split the text',
        });
      parts.push(chunk);
    }
  } catch (error) {
    if (error instanceof PortolanError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new PortolanError(ErrorCode.Usage, `${path === '-' ? 'stdin' : path} cannot be read: ${why}`, {
      hint: 'name a file that you can read, or pipe the text to stdin',
      cause: error,
    });
  }
  return Buffer.concat(parts).toString('utf8');
}
