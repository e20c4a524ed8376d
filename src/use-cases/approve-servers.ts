import { basename } from 'node:path';
import { randomKey, writeFile } from '../base/index.js';
import type { Discovery } from '../discovery/index.js';
import { isRunning } from '../discovery/index.js';
import type { Definition } from '../model/index.js';
import {
  type Approvals,
  type AskedBecause,
  fingerprint,
  isFromRepository,
  type Ruling,
  readApprovals,
  reviewHash,
  type Seal,
  type Server,
  shownForm,
  stateOf,
  writtenLock,
} from '../policy/index.js';
import type { WaitingFile } from '../settings/index.js';
import { type Coverage, contentOf, coverageOf } from './covered-text.js';
import { changesSince, launchDetailsOf, launchText } from './explain.js';

/** A server that needs a decision, with everything the user has to see first. */
export interface ApprovalQuestion {
  readonly server: Server;
  readonly because: AskedBecause | 'decided';
  readonly launch: string;
  /** Variables, headers and directory: a variable can turn a harmless command into any other. */
  readonly launchDetails: readonly (readonly [string, string])[];
  readonly changes: readonly string[];
  /** The files whose content the approval covers. */
  readonly files: Coverage['files'];
  readonly notes: Coverage['notes'];
  /** The user's own servers that this one would replace under their name. */
  readonly shadows: readonly string[];
}

/** Every server that waits for a decision. */
export function pendingQuestions(discovery: Discovery): ApprovalQuestion[] {
  return discovery.servers
    .filter(({ verdict }) => stateOf(verdict) === 'pending-approval')
    .map((server) => questionAbout(server, discovery));
}

/** The question about one server, even if it was decided before. */
export function questionAbout(server: Server, discovery: Discovery): ApprovalQuestion {
  const { definition, shadowed, verdict } = server;
  return {
    server,
    because: verdict.kind === 'needs-approval' ? verdict.because : 'decided',
    launch: launchText(definition),
    launchDetails: [...launchDetailsOf(definition), ...replacedBy(definition, discovery)],
    changes: changesSince(definition, discovery),
    ...coverageOf(definition, discovery),
    shadows: shadowed.map(({ client, scope, source, line }) => `${client} ${scope} ${source}:${line}`),
  };
}

/** The servers that a running server replaces once it is approved. */
function replacedBy({ standsFor }: Definition, { servers }: Discovery): [string, string][] {
  if (standsFor === undefined) return [];
  const names = servers.filter(({ definition }) => fingerprint(definition) === standsFor).map(({ name }) => name);
  return names.map((name) => ['in place of', `${name}, which is not started while this server runs`]);
}

/** Records a decision about servers, bound to the content that was shown. Returns the file. */
export function recordRuling(
  definitions: readonly Definition[],
  verdict: Ruling['verdict'],
  discovery: Discovery,
  now: Date,
): Promise<string> {
  return writeRulings(discovery, ({ sealOf, rulings, content }) =>
    definitions.map((definition) => {
      const { name, source } = definition;
      // The files as they were shown. A denial covers the entry whatever its files contain.
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

/** Approves settings files of the project, bound to their exact content. */
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
  // Read again: the key may be new, and another process may have recorded a decision meanwhile.
  const approvals = readApprovals(paths, host);
  const rulings = new Map([...approvals.rulings, ...decide(approvals)]);
  // An unreadable file is kept as a backup, so that nothing is lost.
  await writeFile(paths.approvals, approvals.written(rulings), { backup: approvals.problems.length > 0 });
  return paths.approvals;
}

/** Writes the team's lock file: the repository's servers that the user approved or that were reviewed before. */
export async function writeLock({
  servers,
  verdicts,
  lock,
  host,
  approvals: { sealOf, rulings },
}: Discovery): Promise<{ path: string; count: number }> {
  const approved = servers
    .map(({ definition }) => definition)
    // `approval: 'all'` also covers the user's own servers, and running ones; neither belongs to the team.
    .filter((definition) => isFromRepository(definition, host) && !isRunning(definition))
    .filter(
      (definition) =>
        (verdicts.get(definition)?.kind === 'allowed' && rulings.has(sealOf(definition))) ||
        lock.reviewed.has(reviewHash(definition)),
    );
  await writeFile(lock.path, writtenLock(approved), { refuseLinks: true });
  return { path: lock.path, count: approved.length };
}
