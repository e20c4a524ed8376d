import { join } from 'node:path';
import { diskFiles, type FileReading, type Log, writeFile } from '../../base/index.js';

/** A server that never stops talking is written down this often and no more. */
const WRITE_EVERY_MS = 1_000;
const MAX_NAME_CHARACTERS = 100;

/** What a server wrote on stderr, kept where another process can read it. */
export interface ServerLog extends AsyncDisposable {
  changed(): void;
}

/** The text is bounded by whoever hands it in; the file holds just that, replaced whole. */
export function keepServerLog(folder: string, server: string, text: () => string, log: Log): ServerLog {
  const path = logPath(folder, server);
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  const write = () => {
    timer = undefined;
    const now = text();
    writing = writing
      .then(() => writeFile(path, now))
      .catch((error: Error) => log('warn', 'server log not written', { server, error: error.message }));
  };
  return {
    changed: () => {
      timer ??= setTimeout(write, WRITE_EVERY_MS).unref();
    },
    [Symbol.asyncDispose]: async () => {
      if (timer) {
        clearTimeout(timer);
        write();
      }
      await writing;
    },
  };
}

/** The last words of a server, of whichever gateway ran it last. */
export function readServerLog(folder: string, server: string): FileReading {
  return diskFiles.read(logPath(folder, server));
}

/** A name is another program's text: nothing in it leads out of the folder. */
function logPath(folder: string, server: string): string {
  return join(folder, `${encodeURIComponent(server).replaceAll('.', '%2E').slice(0, MAX_NAME_CHARACTERS)}.log`);
}
