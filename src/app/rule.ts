import { randomKey, writeFile } from '../base/index.js';
import type { Definition, Server } from '../model/index.js';
import { type Ruling, type Seal, shownForm } from '../policy/index.js';
import { readApprovals, writtenRulings } from './approvals.js';
import type { Discovery } from './discover.js';
import { changesSince, launchText } from './explain.js';
import { writtenLock } from './lock-file.js';

/** One server about which somebody has to decide, with all that they have to see first. */
export interface Question {
  readonly server: Server;
  readonly definition: Definition;
  readonly because: 'new' | 'changed' | 'reviewed' | 'decided';
  readonly launch: string;
  readonly changes: readonly string[];
  /** Servers of the user's that lose their name to it. */
  readonly shadows: readonly string[];
}

/** Every server that waits for a decision. */
export function pendingQuestions(discovery: Discovery): Question[] {
  return discovery.servers
    .filter((server) => server.state === 'pending-approval')
    .map((server) => questionAbout(server, discovery));
}

/** The question about one server, also one that was decided before. */
export function questionAbout(server: Server, discovery: Discovery): Question {
  const held = discovery.held[discovery.servers.indexOf(server)];
  if (!held) throw new Error(`no definition of ${server.name}`);
  const verdict = discovery.verdicts.get(held.chosen);
  return {
    server,
    definition: held.chosen,
    because: verdict?.kind === 'needs-approval' ? verdict.because : 'decided',
    launch: launchText(held.chosen),
    changes: changesSince(held.chosen, discovery),
    shadows: held.shadowed.map(({ client, scope, source, line }) => `${client} ${scope} ${source}:${line}`),
  };
}

/** Writes down what was decided, bound to the content that was shown. Returns the file. */
export async function rule(
  definitions: readonly Definition[],
  verdict: Ruling['verdict'],
  { approvalFiles: paths, host }: Discovery,
  now: Date,
): Promise<string> {
  if (host.files.read(paths.key).kind !== 'read') await writeFile(paths.key, `${randomKey()}\n`);
  // Read again: the key may be new, and somebody else may have decided something meanwhile.
  const { rulings, sealOf } = readApprovals(paths, host.files);
  const decided = definitions.map((definition): [Seal, Ruling] => [
    sealOf(definition),
    { verdict, name: definition.name, source: definition.source, at: now.toISOString(), shown: shownForm(definition) },
  ]);
  await writeFile(paths.approvals, writtenRulings(new Map([...rulings, ...decided])));
  return paths.approvals;
}

/** Writes the team's lock file with every server of the repository that this user has approved. */
export async function writeLock({
  held,
  verdicts,
  lock,
  approvals: { sealOf, rulings },
}: Discovery): Promise<{ path: string; count: number }> {
  const approved = held
    .map(({ chosen }) => chosen)
    .filter((definition) => verdicts.get(definition)?.kind === 'allowed' && rulings.has(sealOf(definition)));
  await writeFile(lock.path, writtenLock(approved));
  return { path: lock.path, count: approved.length };
}
