import type { Definition, State } from '../model/index.js';
import type { Content } from './covered-content.js';
import { lastRuling, type Ruling, type Rulings, reviewHash, type Seal } from './rulings.js';

/** `files`: the entry is as it was approved, and the content of a file that the approval covers is not. */
export type AskedBecause = 'new' | 'changed' | 'reviewed' | 'files';

export type Verdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'needs-approval'; readonly because: AskedBecause }
  | { readonly kind: 'denied' }
  | { readonly kind: 'blocked'; readonly rule: string }
  /** Its own client would not start it, and neither do we. */
  | { readonly kind: 'unavailable'; readonly state: State };

/** All that a verdict depends on beside the definition itself. */
export interface PolicyInputs {
  readonly rulings: Rulings;
  /** Hashes of what the team's lock file has. */
  readonly reviewed: ReadonlySet<string>;
  /** The rule that keeps a server from running, if one does. */
  readonly blockedBy: (definition: Definition) => string | undefined;
  readonly sealOf: (definition: Definition) => Seal;
  /** What a person has let run for now, without writing it down. */
  readonly isGranted?: (definition: Definition, content?: () => Content) => boolean;
  /** What a change in a file that an approval covers leads to. */
  readonly fileChanges: 'ask' | 'warn' | 'off';
  /** Reads the files; asked only about an entry whose verdict depends on them. */
  readonly contentOf: (definition: Definition) => Content;
  readonly covers: (ruling: Ruling, content: Content) => boolean;
  /** Whether someone has to be asked about it at all. */
  readonly mustAsk: (definition: Definition) => boolean;
}

/** Approval is given to what will run, not to its name: a changed command has to ask again. */
export function decide(definition: Definition, grounds: PolicyInputs): Verdict {
  // A client that still waits for its own user's yes is answered by ours.
  if (definition.state !== 'ready' && definition.state !== 'pending-approval') {
    return { kind: 'unavailable', state: definition.state };
  }
  const rule = grounds.blockedBy(definition);
  if (rule !== undefined) return { kind: 'blocked', rule };
  const isAsked = grounds.mustAsk(definition) || definition.state === 'pending-approval';
  if (!isAsked && grounds.rulings.size === 0) return { kind: 'allowed' };
  const ruling = rulingOn(definition, grounds);
  if (ruling?.verdict === 'denied') return { kind: 'denied' };
  if (!isAsked) return { kind: 'allowed' };
  return (
    judgeApproved(definition, ruling, grounds) ?? { kind: 'needs-approval', because: reasonToAsk(definition, grounds) }
  );
}

/** What keeps an admitted server from being started now, because of its files alone; undefined if nothing does. */
export function refusedForFiles(definition: Definition, grounds: PolicyInputs): Verdict | undefined {
  if (!grounds.mustAsk(definition) && definition.state !== 'pending-approval') return undefined;
  const verdict = judgeApproved(definition, rulingOn(definition, grounds), grounds);
  if (!verdict) return { kind: 'needs-approval', because: reasonToAsk(definition, grounds) };
  return verdict.kind === 'allowed' ? undefined : verdict;
}

function rulingOn(definition: Definition, { rulings, sealOf }: PolicyInputs): Ruling | undefined {
  return rulings.size === 0 ? undefined : rulings.get(sealOf(definition));
}

/** The verdict on an entry that a person has said yes to, once or for good; undefined for any other. */
function judgeApproved(definition: Definition, ruling: Ruling | undefined, grounds: PolicyInputs): Verdict | undefined {
  const { isGranted, contentOf, covers, fileChanges } = grounds;
  const isApproved = ruling?.verdict === 'approved';
  if (fileChanges !== 'ask') return isApproved || isGranted?.(definition) ? afterYes(definition) : undefined;
  const isGrantedNow = isGranted?.(definition, () => contentOf(definition)) === true;
  if (!isApproved && !isGranted?.(definition)) return undefined;
  const content = contentOf(definition);
  if (!content.isClear) return { kind: 'blocked', rule: UNCLEAR };
  if (isGrantedNow || (isApproved && covers(ruling, content))) return afterYes(definition);
  return { kind: 'needs-approval', because: 'files' };
}

const UNCLEAR = 'its command line names more than can be checked: put the words into a script';

/** A yes is no answer to the other questions that an entry has. */
function afterYes({ inputs = [] }: Definition): Verdict {
  return inputs.length > 0 ? { kind: 'unavailable', state: 'needs-input' } : { kind: 'allowed' };
}

function reasonToAsk(definition: Definition, { rulings, reviewed }: PolicyInputs): AskedBecause {
  if (reviewed.size > 0 && reviewed.has(reviewHash(definition))) return 'reviewed';
  return lastRuling(rulings, definition) ? 'changed' : 'new';
}

/** The verdict as everyone sees it. */
export function stateOf(verdict: Verdict): State {
  switch (verdict.kind) {
    case 'allowed':
      return 'ready';
    case 'needs-approval':
      return 'pending-approval';
    case 'denied':
      return 'rejected';
    case 'blocked':
      return 'blocked-by-policy';
    case 'unavailable':
      return verdict.state;
  }
}
