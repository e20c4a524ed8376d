import { factsOf, isPipeName } from '../../base/index.js';

const CONNECT_MS = 2_000;

/** The identity of a file; its name alone does not say who created it. */
export function identity(path: string): string | undefined {
  const found = isPipeName(path) ? undefined : factsOf(path);
  return found && `${found.dev} ${found.ino} ${found.birthtimeMs}`;
}

/** Whether a process is listening on a socket. */
export function answers(path: string): Promise<boolean> {
  const { connect } = process.getBuiltinModule('node:net');
  return new Promise((resolve) => {
    const socket = connect({ path });
    const done = (isThere: boolean) => {
      clearTimeout(limit);
      socket.destroy();
      resolve(isThere);
    };
    // A process that accepts but does not respond is listening, too.
    const limit = setTimeout(() => done(true), CONNECT_MS);
    socket.once('connect', () => done(true));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      done(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}

/** Removes the file that was seen at a path. Restores the file there if it was replaced meanwhile. */
export function removeSeenFile(path: string, seen: string | undefined): void {
  const { linkSync, renameSync, rmSync } = process.getBuiltinModule('node:fs');
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return; // another process removed it first
    throw error;
  }
  try {
    // Another process has replaced it meanwhile and is listening, so restore its socket.
    if (identity(aside) !== seen) linkSync(aside, path);
  } catch {
    // Yet another socket is there by now and stays; the process that lost its path notices and exits.
  } finally {
    rmSync(aside, { force: true });
  }
}
