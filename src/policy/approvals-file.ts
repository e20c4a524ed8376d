import { join } from 'node:path';
import { hmac256 } from '../base/index.js';
import type { Definition, Host, Problem } from '../model/index.js';
import { isBroughtByProject } from '../settings/index.js';
import {
  type Content,
  type ContentRecord,
  contentChanges,
  isCovered,
  parseContentRecord,
  recordContent,
} from './covered-content.js';
import { folderOfApproval } from './repository-origin.js';
import { type Ruling, type Rulings, type Seal, sealOf, sealText } from './rulings.js';

/** The paths of this user's rulings and of the key with which they are sealed. */
export interface ApprovalFiles {
  readonly approvals: string;
  readonly key: string;
}

/** The rulings read from the file. */
export interface Approvals {
  readonly rulings: Rulings;
  readonly sealOf: (definition: Definition) => Seal;
  /** The seal of a settings file, over its path and all its bytes. */
  readonly sealOfText: (path: string, text: string) => Seal;
  readonly content: ContentSeals;
  /** The text of the file for these rulings, oldest first. */
  readonly written: (rulings: Rulings) => string;
  readonly problems: readonly Problem[];
}

/** Records of file contents, sealed with the user's key. */
interface ContentSeals {
  readonly recordOf: (content: Content, before: ContentRecord | undefined) => ContentRecord | undefined;
  readonly covers: (ruling: Ruling, content: Content) => boolean;
  readonly changes: (ruling: Ruling, content: Content) => readonly string[];
}

/**
 * A variable can point the user's directory into a repository, which could then approve itself, so the variable is
 * ignored there.
 */
export function approvalFiles(configFolder: string, host: Host): ApprovalFiles {
  const folder = isBroughtByProject(configFolder, host) ? join(host.home, '.config', 'portolan') : configFolder;
  return { approvals: join(folder, 'approvals.json'), key: join(folder, 'approvals.key') };
}

/** Reads the rulings. Entries that cannot be read approve nothing. */
export function readApprovals(paths: ApprovalFiles, host: Host): Approvals {
  const { files } = host;
  const key = files.read(paths.key);
  const hmac = (text: string) => hmac256(key.kind === 'read' ? key.text.trim() : '', text);
  const seal = (definition: Definition) => sealOf(definition, folderOfApproval(definition, host), hmac);
  const sealOfText = (path: string, text: string) => sealText(path, text, hmac);
  const content: ContentSeals = {
    recordOf: (one, before) => recordContent(one, before, hmac),
    covers: (ruling, one) => isCovered(ruling.content, one, hmac),
    changes: (ruling, one) => contentChanges(ruling.content, one, hmac),
  };
  const proofOf: ProofOf = (of, record) => hmac(JSON.stringify(['approved', of, ...(record ? [record] : [])]));
  const written = (rulings: Rulings) => writtenRulings(rulings, proofOf);
  const nothing = (problems: readonly Problem[] = []): Approvals => ({
    rulings: new Map(),
    sealOf: seal,
    sealOfText,
    content,
    written,
    problems,
  });
  const reading = files.read(paths.approvals);
  if (reading.kind === 'absent') return nothing();
  if (reading.kind === 'failed') return nothing([unusable(paths.approvals, `it ${reading.message}`)]);
  if (key.kind !== 'read' || key.text.trim() === '')
    return nothing([unusable(paths.approvals, `its key ${paths.key} is missing`)]);
  const rulings = parseRulings(reading.text, proofOf);
  return rulings
    ? { rulings, sealOf: seal, sealOfText, content, written, problems: [] }
    : nothing([unusable(paths.approvals, 'it is not valid')]);
}

/** Returns whether a person approved this text of a settings file. */
export function isSettingsApproved({ rulings, sealOfText }: Approvals): (path: string, text: string) => boolean {
  return (path, text) => rulings.get(sealOfText(path, text))?.verdict === 'approved';
}

/**
 * The seal identifies the content but not the decision: without the proof, a rejection could be rewritten as an
 * approval.
 */
type ProofOf = (seal: Seal, content: ContentRecord | undefined) => string;

function writtenRulings(rulings: Rulings, proofOf: ProofOf): string {
  const entries = [...rulings]
    .sort(([, a], [, b]) => (a.at < b.at ? -1 : 1))
    .map(([seal, ruling]) => [
      seal,
      ruling.verdict === 'approved' ? { ...ruling, proof: proofOf(seal, ruling.content) } : ruling,
    ]);
  return `${JSON.stringify({ version: 1, rulings: Object.fromEntries(entries) }, null, 2)}\n`;
}

function parseRulings(text: string, proofOf: ProofOf): Rulings | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('rulings' in value)) return undefined;
    const entries = Object.entries(value.rulings as object).filter((entry): entry is [Seal, Ruling & Proven] =>
      isRuling(entry[1]),
    );
    // An invalid record is dropped; then the proof fails, and the approval is void.
    const read = entries.map(([seal, { proof, content: kept, ...ruling }]) => {
      const content = parseContentRecord(kept);
      return { seal, proof, ruling: { ...ruling, ...(content && { content }) } };
    });
    const counting = read.filter(
      ({ seal, proof, ruling }) => ruling.verdict === 'denied' || proof === proofOf(seal, ruling.content),
    );
    return new Map(counting.map(({ seal, ruling }) => [seal, ruling]));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

interface Proven {
  readonly proof?: unknown;
}

function isRuling(value: unknown): value is Ruling {
  if (typeof value !== 'object' || value === null) return false;
  const { verdict, name, source, at, shown } = value as Record<string, unknown>;
  const isVerdict = verdict === 'approved' || verdict === 'denied';
  return (
    isVerdict &&
    [name, source, at].every((one) => typeof one === 'string') &&
    typeof shown === 'object' &&
    shown !== null
  );
}

function unusable(source: string, why: string): Problem {
  return {
    code: 'approvals-unusable',
    severity: 'error',
    message: `all approvals are ignored: ${why}`,
    hint: 'remove the file and approve again with `portolan approve`',
    source,
  };
}
