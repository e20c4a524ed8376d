import type { Era, SupportedEras } from '../../model/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import type { LeaseOptions } from './lease.js';

/** The facts about a server's eras that decide whether it may run twice. */
export interface EraFacts {
  readonly supported: SupportedEras;
  /** It has sent sampling or elicitation requests, now or in an earlier run. */
  readonly asksClient: boolean;
}

/** What the choice needs to know of a process. */
interface Candidate {
  readonly isActive: boolean;
  readonly era: Era | undefined;
}

/** The transports that start a process or run in this one; each further connection of another transport costs little. */
const RUNS_HERE: ReadonlySet<string> = new Set(['stdio', 'sdk']);

/**
 * Chooses between the process of a server and a second one. A server runs once, in the era of the client that caused its
 * start, and clients of both eras share it. A server that sends requests to its client can only do so in the older era, so
 * clients of different eras use different processes of it; connections to a remote server are always separate.
 */
export function chooseProcess(
  { definition }: AdmittedServer,
  { era, purpose = 'call' }: Pick<LeaseOptions, 'era' | 'purpose'>,
  facts: EraFacts,
  [first, second]: readonly [Candidate | undefined, Candidate | undefined],
): 'first' | 'second' {
  const isSecondActive = second?.isActive === true;
  if (era === undefined) return isSecondActive && !first?.isActive ? 'second' : 'first';
  if (first?.isActive && first.era === era) return 'first';
  if (isSecondActive && second.era === era) return 'second';
  const isShared = definition.era !== undefined || facts.supported[era] === false || isReading(purpose);
  if (isShared || (RUNS_HERE.has(definition.transport) && !facts.asksClient))
    return isSecondActive && !first?.isActive ? 'second' : 'first';
  return first?.isActive ? 'second' : 'first';
}

/** Reading lists starts no second process. */
function isReading(purpose: NonNullable<LeaseOptions['purpose']>): boolean {
  return purpose === 'read' || purpose === 'inquiry';
}
