import { join } from 'node:path';
import { diskFiles, type Log, writeFile } from '../base/index.js';
import type { ToolIndex } from '../search/index.js';

const WRITE_AFTER_MS = 5_000;

/** What searches led to, kept between runs. */
export interface UsesFile extends AsyncDisposable {
  changed(): void;
}

/** Reads what was remembered into the index, and writes it a while after it changed. */
export function usesFile(folder: string, index: ToolIndex, log: Log): UsesFile {
  const path = join(folder, 'uses.json');
  const reading = diskFiles.read(path);
  if (reading.kind === 'read') {
    try {
      index.recall(JSON.parse(reading.text));
    } catch {
      log('warn', 'remembered uses are not readable and begin anew', { path });
    }
  }
  let timer: NodeJS.Timeout | undefined;
  const write = async () => {
    timer = undefined;
    await writeFile(path, `${JSON.stringify(index.memory())}\n`).catch((error: Error) => {
      log('warn', 'remembered uses not kept', { error: error.message });
    });
  };
  return {
    changed: () => {
      timer ??= setTimeout(() => void write(), WRITE_AFTER_MS).unref();
    },
    [Symbol.asyncDispose]: async () => {
      if (!timer) return;
      clearTimeout(timer);
      await write();
    },
  };
}
