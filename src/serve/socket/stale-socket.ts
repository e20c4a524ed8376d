import { factsOf, isPipeName } from '../../base/index.js';

const CONNECT_MS = 2_000;

/** Which file it is: a name alone says nothing about who made it. */
export function identity(path: string): string | undefined {
  const found = isPipeName(path) ? undefined : factsOf(path);
  return found && `${found.dev} ${found.ino} ${found.birthtimeMs}`;
}

/** Whether somebody listens on a socket. */
export function answers(path: string): Promise<boolean> {
  const { connect } = process.getBuiltinModule('node:net');
  return new Promise((resolve) => {
    const socket = connect({ path });
    const done = (isThere: boolean) => {
      clearTimeout(limit);
      socket.destroy();
      resolve(isThere);
    };
    // One that takes us and says nothing is there all the same.
    const limit = setTimeout(() => done(true), CONNECT_MS);
    socket.once('connect', () => done(true));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      done(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}

/** Removes the file that was seen at a path. Puts it back if another one has taken its place by then. */
export function takeAway(path: string, seen: string | undefined): void {
  const { linkSync, renameSync, rmSync } = process.getBuiltinModule('node:fs');
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return; // another was faster
    throw error;
  }
  try {
    // Somebody else replaced it meanwhile and is listening: theirs is put back.
    if (identity(aside) !== seen) linkSync(aside, path);
  } catch {
    // By now there is yet another one, which is as good; whoever lost its name notices and leaves.
  } finally {
    rmSync(aside, { force: true });
  }
}
