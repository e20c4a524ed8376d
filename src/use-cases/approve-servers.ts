import { basename } from 'node:path';
import { randomKey, writeFile } from '../base/index.js';
import type { Discovery } from '../discovery/index.js';
import { isRunning } from '../discovery/index.js';
import type { Definition, Server } from '../model/index.js';
import {
  type Approvals,
  type AskedBecause,
  isFromRepository,
  type Ruling,
  readApprovals,
  reviewHash,
  type Seal,
  shownForm,
  writtenLock,
} from '../policy/index.js';
import type { WaitingFile } from '../settings/index.js';
import { type Coverage, contentOf, coverageOf } from './covered-text.js';
import { changesSince, launchText, surroundingsText } from './explain.js';

/** One server about which somebody has to decide, with all that they have to see first. */
export interface ApprovalQuestion {
  readonly server: Server;
  readonly definition: Definition;
  readonly because: AskedBecause | 'decided';
  readonly launch: string;
  /** What it runs with: a variable can change a harmless command into any other. */
  readonly surroundings: readonly (readonly [string, string])[];
  readonly changes: readonly string[];
  /** The files whose content the approval covers. */
  readonly files: Coverage['files'];
  readonly notes: Coverage['notes'];
  /** Servers of the user's that lose their name to it. */
  readonly shadows: readonly string[];
}

/** Every server that waits for a decision. */
export function pendingQuestions(discovery: Discovery): ApprovalQuestion[] {
  return discovery.servers
    .filter((server) => server.state === 'pending-approval')
    .map((server) => questionAbout(server, discovery));
}

/** The question about one server, also one that was decided before. */
export function questionAbout(server: Server, discovery: Discovery): ApprovalQuestion {
  const held = discovery.held[discovery.servers.indexOf(server)];
  if (!held) throw new Error(`no definition of ${server.name}`);
  const verdict = discovery.verdicts.get(held.active);
  return {
    server,
    definition: held.active,
    because: verdict?.kind === 'needs-approval' ? verdict.because : 'decided',
    launch: launchText(held.active),
    surroundings: [...surroundingsText(held.active), ...replacedBy(held.active, discovery)],
    changes: changesSince(held.active, discovery),
    ...coverageOf(held.active, discovery),
    shadows: held.shadowed.map(({ client, scope, source, line }) => `${client} ${scope} ${source}:${line}`),
  };
}

/** Which server will be spoken to by another way after a yes. */
function replacedBy({ standsFor }: Definition, { servers }: Discovery): [string, string][] {
  if (standsFor === undefined) return [];
  const names = servers.filter(({ fingerprint }) => fingerprint === standsFor).map(({ name }) => name);
  return names.map((name) => ['in place of', `${name}, which is not started while this runs`]);
}

/** Writes down what was decided about servers, bound to the content that was shown. Returns the file. */
export function recordRuling(
  definitions: readonly Definition[],
  verdict: Ruling['verdict'],
  discovery: Discovery,
  now: Date,
): Promise<string> {
  return writeRulings(discovery, ({ sealOf, rulings, content }) =>
    definitions.map((definition) => {
      const { name, source } = definition;
      // Of the files as they were shown. A no is about the entry, whatever its files are.
      const record =
        verdict === 'approved'
          ? content.recordOf(contentOf(definition, discovery), rulings.get(sealOf(definition))?.content)
          : undefined;
      const shown = shownForm(definition);
      return [
        sealOf(definition),
        { verdict, name, source, at: now.toISOString(), shown, ...(record && { content: record }) },
      ];
    }),
  );
}

/** Lets settings files of the project count whole, bound to every byte that is in them now. */
export function approveSettings(waiting: readonly WaitingFile[], discovery: Discovery, now: Date): Promise<string> {
  return writeRulings(discovery, ({ sealOfText }) =>
    waiting.map(({ path, text }) => [
      sealOfText(path, text),
      { verdict: 'approved', name: basename(path), source: path, at: now.toISOString(), shown: {} },
    ]),
  );
}

async function writeRulings(
  { approvalFiles: paths, host }: Discovery,
  decide: (approvals: Approvals) => [Seal, Ruling][],
): Promise<string> {
  const key = host.files.read(paths.key);
  if (key.kind !== 'read' || key.text.trim() === '') await writeFile(paths.key, `${randomKey()}\n`);
  // Read again: the key may be new, and somebody else may have decided something meanwhile.
  const approvals = readApprovals(paths, host);
  const rulings = new Map([...approvals.rulings, ...decide(approvals)]);
  // A file that could not be read is kept beside the new one, for whoever wants to look at it.
  await writeFile(paths.approvals, approvals.written(rulings), { backup: approvals.problems.length > 0 });
  return paths.approvals;
}

/** Writes the team's lock file: what this user has approved of the repository, and what others reviewed and is still so. */
export async function writeLock({
  held,
  verdicts,
  lock,
  host,
  approvals: { sealOf, rulings },
}: Discovery): Promise<{ path: string; count: number }> {
  const approved = held
    .map(({ active: chosen }) => chosen)
    // With `approval: 'all'` someone also approves what is theirs alone, which is no business of the team; nor is what runs just now.
    .filter((definition) => isFromRepository(definition, host) && !isRunning(definition))
    .filter(
      (definition) =>
        (verdicts.get(definition)?.kind === 'allowed' && rulings.has(sealOf(definition))) ||
        lock.reviewed.has(reviewHash(definition)),
    );
  await writeFile(lock.path, writtenLock(approved), { refuseLinks: true });
  return { path: lock.path, count: approved.length };
}
