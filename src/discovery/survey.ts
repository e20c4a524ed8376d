import { cleanText } from '../base/index.js';
import type { Definition } from '../model/index.js';
import {
  type AdmittedServer,
  admit,
  decide,
  fingerprint,
  type PolicyInputs,
  type Server,
  stateOf,
  type Verdict,
} from '../policy/index.js';
import type { SourceReadings } from '../sources/index.js';
import { asRunningDefinition } from './match-running.js';
import { type ResolvedServer, resolveDefinitions } from './resolve-definitions.js';
import { type KnownNames, removedNames } from './server-names.js';

type Verdicts = ReadonlyMap<Definition, Verdict>;

/** All servers; those that may run carry the admission. */
export interface Survey {
  readonly servers: readonly Server[];
  /** The verdicts on all definitions, also on those that are not active. */
  readonly verdicts: Verdicts;
  /** Definitions that do not count because a file has exclusive control. */
  readonly ignored: readonly Definition[];
  /** All names that servers had so far. */
  readonly names: KnownNames;
  /** Names that clients may have seen and that belong to no server any more, with the name to use instead. */
  readonly removed: ReadonlyMap<string, string | undefined>;
}

/** Decides from the definitions that were read which ones count, may run, and are active. */
export function survey(
  { definitions, exclusive }: Pick<SourceReadings, 'definitions' | 'exclusive'>,
  grounds: PolicyInputs,
  known?: KnownNames,
): Survey {
  const counts = ({ source }: Definition) => exclusive.length === 0 || exclusive.includes(source);
  const counted = definitions.filter(counts);
  const verdicts: Verdicts = new Map(counted.map((definition) => [definition, decide(definition, grounds)]));
  const stateIn = (one: Definition) => stateOf(verdictOf(verdicts, one));
  const resolved = resolveDefinitions(counted, stateIn, fingerprint, known);
  const removed = removedNames(resolved.servers, resolved.names);
  const servers = resolved.servers.map((server) => toServer(server, verdicts, removed));
  return { servers, verdicts, ignored: definitions.filter((one) => !counts(one)), names: resolved.names, removed };
}

function verdictOf(verdicts: Verdicts, definition: Definition): Verdict {
  const verdict = verdicts.get(definition);
  if (!verdict) throw new Error(`no verdict for ${definition.name}`);
  return verdict;
}

function toServer(
  resolved: ResolvedServer,
  verdicts: Verdicts,
  removed: ReadonlyMap<string, string | undefined>,
): Server {
  const admitted = admission(resolved, verdicts);
  const verdict = verdictOf(verdicts, resolved.definition);
  // A client that knows a removed server by such a name must not reach this one.
  const others = otherNames(resolved, verdicts).filter((name) => !removed.has(name));
  return { ...resolved, verdict, otherNames: others, ...(admitted && { admitted }) };
}

/** Names from an unapproved file are left out, because a person who allows a call identifies the server by its name. */
function otherNames({ name, definition, duplicates }: ResolvedServer, verdicts: Verdicts): string[] {
  const counts = (one: Definition) => {
    const { kind } = verdictOf(verdicts, one);
    return kind === 'allowed' || (kind === 'needs-approval' && one.source === definition.source);
  };
  const names = duplicates.filter(counts).map((one) => one.name);
  // A server with a number in its name had to leave the plain name to another one.
  return [...new Set(names)].filter((other) => other !== name && other !== definition.name);
}

/** A running instance is used only if it is approved itself, because the approval of a launch does not cover it. */
function admission(
  { name, definition, runningInstance }: ResolvedServer,
  verdicts: Verdicts,
): AdmittedServer | undefined {
  // A name with invisible characters is never admitted. Cleaning it could turn it into the name of another server.
  if (!isShowable(name)) return undefined;
  const isUsed = runningInstance && verdictOf(verdicts, runningInstance).kind === 'allowed';
  const used = isUsed ? asRunningDefinition(definition, runningInstance) : definition;
  return admit(name, used, verdictOf(verdicts, definition));
}

function isShowable(name: string): boolean {
  return !/[\n\r\t]/.test(name) && cleanText(name, Number.POSITIVE_INFINITY).found.length === 0;
}
