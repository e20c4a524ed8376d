import { type ProcessIdentity, randomKey, sha256 } from '../base/index.js';
import { type Liveness, livenessOf, machineOf, type ProcessLook } from './process-liveness.js';

const ENTRY_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*\.[0-9a-f]{16}\.json$/;
const UNFINISHED_NAME = /^\.([0-9a-f]{8})-([0-9a-f]{8})-(\d{1,10})-(\d{0,20})-[0-9a-f]{12}\.tmp$/;

/** Holds the server's and the writer's identity: no other process ever writes a file of this name, and when the server is dead none will. */
export function entryName(id: string, server: ProcessIdentity, writer: ProcessIdentity): string {
  const parts = [server, writer].flatMap(({ boot, pid, start }) => [boot, pid, start]);
  return `${id}.${sha256(JSON.stringify([id, ...parts])).slice(0, 16)}.json`;
}

export function isEntryName(name: string): boolean {
  return ENTRY_NAME.test(name);
}

/** Says whose it is, so that one left behind is known by its dead writer and not by its age: clocks jump, and processes are paused. */
export function unfinishedName({ boot, pid, start }: ProcessIdentity): string {
  return `.${tag(machineOf(boot))}-${tag(boot)}-${pid}-${start}-${randomKey().slice(0, 12)}.tmp`;
}

/** Undefined for a name that is not of an unfinished file of ours. */
export function livenessOfUnfinished(name: string, look: ProcessLook): Liveness | undefined {
  const [, machine, boot, pid, start = ''] = UNFINISHED_NAME.exec(name) ?? [];
  if (machine === undefined) return undefined;
  // A look that does not know where it is can tell nothing of others.
  if (look.boot === '' && boot !== tag('')) return 'elsewhere';
  if (machine !== tag(machineOf(look.boot))) return 'dead';
  if (boot !== tag(look.boot)) return 'elsewhere';
  return livenessOf({ boot: look.boot, pid: Number(pid), start }, look);
}

function tag(text: string): string {
  return sha256(text).slice(0, 8);
}
