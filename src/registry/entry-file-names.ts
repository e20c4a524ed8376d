import { type ProcessIdentity, randomKey, sha256 } from '../base/index.js';
import { type Liveness, livenessOf, machineOf, type ProcessSnapshot } from './process-liveness.js';

const ENTRY_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*\.[0-9a-f]{16}\.json$/;
const UNFINISHED_NAME = /^\.([0-9a-f]{8})-([0-9a-f]{8})-(\d{1,10})-(\d{0,20})-[0-9a-f]{12}\.tmp$/;

/**
 * Contains the identities of server and writer, so no other process writes this name, and nobody does after the server
 * is dead.
 */
export function entryName(id: string, server: ProcessIdentity, writer: ProcessIdentity): string {
  const parts = [server, writer].flatMap(({ boot, pid, start }) => [boot, pid, start]);
  return `${id}.${sha256(JSON.stringify([id, ...parts])).slice(0, 16)}.json`;
}

export function isEntryName(name: string): boolean {
  return ENTRY_NAME.test(name);
}

/**
 * Contains the identity of its writer. A leftover is recognized by its dead writer, not by its age, because clocks jump
 * and processes are paused.
 */
export function unfinishedName({ boot, pid, start }: ProcessIdentity): string {
  return `.${tag(machineOf(boot))}-${tag(boot)}-${pid}-${start}-${randomKey().slice(0, 12)}.tmp`;
}

/** Returns undefined if the name is not that of an unfinished file. */
export function livenessOfUnfinished(name: string, snapshot: ProcessSnapshot): Liveness | undefined {
  const [, machine, boot, pid, start = ''] = UNFINISHED_NAME.exec(name) ?? [];
  if (machine === undefined) return undefined;
  // If our own boot id is unknown, other processes cannot be judged.
  if (snapshot.boot === '' && boot !== tag('')) return 'elsewhere';
  if (machine !== tag(machineOf(snapshot.boot))) return 'dead';
  if (boot !== tag(snapshot.boot)) return 'elsewhere';
  return livenessOf({ boot: snapshot.boot, pid: Number(pid), start }, snapshot);
}

function tag(text: string): string {
  return sha256(text).slice(0, 8);
}
