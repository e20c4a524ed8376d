import type { Definition, State } from '../model/index.js';
import { lastRuling, type Rulings, reviewHash, type Seal } from './rulings.js';

export type Verdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'needs-approval'; readonly because: 'new' | 'changed' | 'reviewed' }
  | { readonly kind: 'denied' }
  | { readonly kind: 'blocked'; readonly rule: string }
  /** Its own client would not start it, and neither do we. */
  | { readonly kind: 'unavailable'; readonly state: State };

/** All that a verdict depends on beside the definition itself. */
export interface Grounds {
  readonly rulings: Rulings;
  /** Hashes of what the team's lock file has. */
  readonly reviewed: ReadonlySet<string>;
  /** The rule that keeps a server from running, if one does. */
  readonly blockedBy: (definition: Definition) => string | undefined;
  readonly sealOf: (definition: Definition) => Seal;
  /** What a person has let run for now, without writing it down. */
  readonly isGranted?: (definition: Definition) => boolean;
  /** Whether someone has to be asked about it at all. */
  readonly mustAsk: (definition: Definition) => boolean;
}

/** Approval is given to what will run, not to its name: a changed command has to ask again. */
export function decide(definition: Definition, grounds: Grounds): Verdict {
  // A client that still waits for its own user's yes is answered by ours.
  if (definition.state !== 'ready' && definition.state !== 'pending-approval') {
    return { kind: 'unavailable', state: definition.state };
  }
  const rule = grounds.blockedBy(definition);
  if (rule !== undefined) return { kind: 'blocked', rule };
  const isAsked = grounds.mustAsk(definition) || definition.state === 'pending-approval';
  if (!isAsked && grounds.rulings.size === 0) return { kind: 'allowed' };
  const ruling = grounds.rulings.size === 0 ? undefined : grounds.rulings.get(grounds.sealOf(definition));
  if (ruling?.verdict === 'denied') return { kind: 'denied' };
  if (!isAsked) return { kind: 'allowed' };
  if (ruling?.verdict === 'approved' || grounds.isGranted?.(definition)) return afterYes(definition);
  return { kind: 'needs-approval', because: reasonToAsk(definition, grounds) };
}

/** A yes is no answer to the other questions that an entry has. */
function afterYes({ inputs = [] }: Definition): Verdict {
  return inputs.length > 0 ? { kind: 'unavailable', state: 'needs-input' } : { kind: 'allowed' };
}

function reasonToAsk(definition: Definition, { rulings, reviewed }: Grounds): 'new' | 'changed' | 'reviewed' {
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
