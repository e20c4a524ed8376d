import type { Definition, State } from '../model/index.js';
import type { Content } from './covered-content.js';
import { lastRuling, type Ruling, type Rulings, reviewHash, type Seal } from './rulings.js';

/** `files`: the entry is unchanged since its approval, but a covered file has changed. */
export type AskedBecause = 'new' | 'changed' | 'reviewed' | 'files';

export type Verdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'needs-approval'; readonly because: AskedBecause }
  | { readonly kind: 'denied' }
  | { readonly kind: 'blocked'; readonly rule: string }
  /** Its own client would not start it, so Portolan does not either. */
  | { readonly kind: 'unavailable'; readonly state: State };

/** Everything besides the definition that determines a verdict. */
export interface PolicyInputs {
  readonly rulings: Rulings;
  /** The hashes in the team's lock file. */
  readonly reviewed: ReadonlySet<string>;
  /** The rule that blocks a server, if any. */
  readonly blockedBy: (definition: Definition) => string | undefined;
  readonly sealOf: (definition: Definition) => Seal;
  /** Returns whether a person has permitted the server temporarily, without a stored approval. */
  readonly isGranted?: (definition: Definition, content?: () => Content) => boolean;
  /** The reaction to a change in a file that an approval covers. */
  readonly fileChanges: 'ask' | 'warn' | 'off';
  /** Reads the covered files; called only if the verdict depends on them. */
  readonly contentOf: (definition: Definition) => Content;
  readonly covers: (ruling: Ruling, content: Content) => boolean;
  /** Returns whether the server needs approval. */
  readonly mustAsk: (definition: Definition) => boolean;
}

/** An approval is bound to the launch, not to the name: a changed command needs a new approval. */
export function decide(definition: Definition, grounds: PolicyInputs): Verdict {
  // If the server's own client still waits for approval, Portolan's approval decides instead.
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

/** The reason why an admitted server must not be started now because of its files; undefined if there is none. */
export function refusedForFiles(definition: Definition, grounds: PolicyInputs): Verdict | undefined {
  if (!grounds.mustAsk(definition) && definition.state !== 'pending-approval') return undefined;
  const verdict = judgeApproved(definition, rulingOn(definition, grounds), grounds);
  if (!verdict) return { kind: 'needs-approval', because: reasonToAsk(definition, grounds) };
  return verdict.kind === 'allowed' ? undefined : verdict;
}

function rulingOn(definition: Definition, { rulings, sealOf }: PolicyInputs): Ruling | undefined {
  return rulings.size === 0 ? undefined : rulings.get(sealOf(definition));
}

/** The verdict on an entry that a person has approved, temporarily or permanently; undefined for other entries. */
function judgeApproved(definition: Definition, ruling: Ruling | undefined, grounds: PolicyInputs): Verdict | undefined {
  const { isGranted, contentOf, covers, fileChanges } = grounds;
  const isApproved = ruling?.verdict === 'approved';
  if (fileChanges !== 'ask') return isApproved || isGranted?.(definition) ? afterApproval(definition) : undefined;
  const isGrantedNow = isGranted?.(definition, () => contentOf(definition)) === true;
  if (!isApproved && !isGranted?.(definition)) return undefined;
  const content = contentOf(definition);
  if (!content.isClear) return { kind: 'blocked', rule: UNCLEAR };
  if (isGrantedNow || (isApproved && covers(ruling, content))) return afterApproval(definition);
  return { kind: 'needs-approval', because: 'files' };
}

const UNCLEAR = 'its command line names more files than can be checked: move the command into a script';

/** An approval does not answer the inputs that an entry requires. */
function afterApproval({ inputs = [] }: Definition): Verdict {
  return inputs.length > 0 ? { kind: 'unavailable', state: 'needs-input' } : { kind: 'allowed' };
}

function reasonToAsk(definition: Definition, { rulings, reviewed }: PolicyInputs): AskedBecause {
  if (reviewed.size > 0 && reviewed.has(reviewHash(definition))) return 'reviewed';
  return lastRuling(rulings, definition) ? 'changed' : 'new';
}

/** The state shown for a verdict. */
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
