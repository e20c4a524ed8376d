import { dirname, resolve } from 'node:path';
import { factsOf, isOurs, isStickyFolder, type Log, linkTarget, socketAt } from '../../base/index.js';
import { answers, identity, removeSeenFile } from './stale-socket.js';

export interface LegacyLinkOptions {
  /** The documented path, for clients that do not know the runtime directory. */
  readonly path: string;
  /** The socket that the link points to. */
  readonly socket: string;
  /** Whether the path still belongs to this daemon's socket. If another daemon took it, the link serves that one. */
  readonly isServing: () => boolean;
  readonly log: Log;
}

/** `taken`: another file is there. `refused`: the directory is not sticky or not writable. */
export type LinkState = 'ours' | 'off' | 'taken' | 'refused';

/** A symbolic link to the daemon's socket, removed on exit. Replaces only a link of this user to a dead daemon. */
export class LegacyLink implements Disposable {
  readonly #options: LegacyLinkOptions;
  /** The identity of our link; its name alone does not say who created it. */
  #made: string | undefined;
  #isOver = false;
  #logged: LinkState | undefined;

  constructor(options: LegacyLinkOptions) {
    this.#options = { ...options, socket: resolve(options.socket) };
  }

  /** Creates the link if it is wanted and missing; removes it if it is no longer wanted. */
  async refresh(isWanted: boolean): Promise<LinkState> {
    const state = isWanted ? await this.#make().catch(refusedBySystem) : this.#remove();
    const { path, log } = this.#options;
    if (state !== this.#logged && state === 'taken')
      log('info', 'cannot create the socket link: another file is at its path', { path });
    if (state !== this.#logged && state === 'refused')
      log('info', 'cannot create the socket link: its directory is not sticky or not writable', {
        path,
      });
    this.#logged = state;
    return state;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#remove();
  }

  async #make(): Promise<LinkState> {
    const { path, socket } = this.#options;
    if (process.platform === 'win32') return 'off';
    const folder = dirname(path);
    if (!isStickyFolder(folder)) return 'refused';
    if (factsOf(path) && linkTarget(path) !== socket && !(await this.#removeDead())) return 'taken';
    // Synchronous from here on, so that a daemon that exits meanwhile leaves no link behind.
    if (this.#isOver) return 'off';
    if (!factsOf(path)) process.getBuiltinModule('node:fs').symlinkSync(socket, path);
    if (!this.#leadsHere()) return 'taken';
    this.#made = identity(path);
    return 'ours';
  }

  #leadsHere(): boolean {
    const { path, socket } = this.#options;
    const found = factsOf(path);
    return found?.isSymbolicLink() === true && isOurs(found) && linkTarget(path) === socket;
  }

  /** Removes a link of this user to a socket without a listener. False if another file is there. */
  async #removeDead(): Promise<boolean> {
    const { path } = this.#options;
    const [seen, found] = [identity(path), factsOf(path)];
    if (!found?.isSymbolicLink() || !isOurs(found)) return found === undefined;
    try {
      const other = socketAt(path);
      if (other !== undefined && (await answers(other))) return false;
      removeSeenFile(path, seen);
      return true;
    } catch {
      return false; // its target was not created by a daemon of this user
    }
  }

  #remove(): LinkState {
    const { path } = this.#options;
    const isOurs = this.#made !== undefined && identity(path) === this.#made;
    if (isOurs && this.#leadsHere() && this.#options.isServing())
      process.getBuiltinModule('node:fs').rmSync(path, { force: true });
    this.#made = undefined;
    return 'off';
  }
}

function refusedBySystem(error: unknown): LinkState {
  if (!(error instanceof Error && 'code' in error)) throw error;
  return error.code === 'EEXIST' ? 'taken' : 'refused';
}
