import { GUEST_SOURCE } from '../guest-source.js';

/** Reads the guest's source from stdin and compiles it with a file name, by which tracebacks recognize its frames. */
export const CPYTHON_BOOT = [
  'import os',
  'size, data = b"", b""',
  'while len(size) < 8: size += os.read(0, 8 - len(size))',
  'while len(data) < int(size): data += os.read(0, int(size) - len(data))',
  'exec(compile(data, "<portolan>", "exec"))',
].join('\n');

/** The guest's source as the boot code reads it: the size in eight digits, then the source. `before` runs first. */
export function cpythonSource(before = ''): Uint8Array {
  const source = Buffer.from(`${before}\n${GUEST_SOURCE}`);
  return Buffer.concat([Buffer.from(String(source.length).padStart(8, '0')), source]);
}
