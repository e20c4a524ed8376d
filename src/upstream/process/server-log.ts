import { join } from 'node:path';
import { diskFiles, type FileReading, type Log, writeFile } from '../../base/index.js';

/** Limits the writes for a server that writes to stderr without pause. */
const WRITE_EVERY_MS = 1_000;
const MAX_NAME_CHARACTERS = 100;

/** The stderr of a server in a file, so that another process can read it. */
export interface ServerLog extends AsyncDisposable {
  changed(): void;
}

/** The stderr of the processes that run now, by log file: two processes of one server share a file. */
const running = new Map<string, Set<() => string>>();

/** Replaces the whole file with `text()`, whose size the caller limits, and that of other processes with the same name. */
export function keepServerLog(folder: string, server: string, text: () => string, log: Log): ServerLog {
  const path = logPath(folder, server);
  const texts = running.get(path) ?? new Set();
  running.set(path, texts.add(text));
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  const write = () => {
    timer = undefined;
    const now = [...texts].map((one) => one()).filter((one) => one !== '');
    writing = writing
      .then(() => writeFile(path, now.join('\n')))
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
      texts.delete(text);
      if (texts.size === 0 && running.get(path) === texts) running.delete(path);
      await writing;
    },
  };
}

/** The stderr of a server, written by the gateway that ran it last. */
export function readServerLog(folder: string, server: string): FileReading {
  return diskFiles.read(logPath(folder, server));
}

/** The server name comes from a config file, so encode it: the path must stay inside the directory. */
function logPath(folder: string, server: string): string {
  return join(folder, `${encodeURIComponent(server).replaceAll('.', '%2E').slice(0, MAX_NAME_CHARACTERS)}.log`);
}
