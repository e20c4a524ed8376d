import type { Definition, State } from '../model/index.js';
import { identityOf, plainUrl } from '../model/index.js';
import { cannotRun } from './precedence.js';

/** What a server is called by, as far as those that run have to do with it. */
export interface MatchCandidate {
  readonly active: Definition;
  readonly origins: Definition[];
  readonly shadowed: Definition[];
  /** One that runs already, that a person let in, and that is used in the place of starting this one. */
  runningInstance?: Definition;
}

/** How a server that runs is found to be one that was written down. */
export interface MatchRules {
  readonly stateOf: (definition: Definition) => State;
  /** The hash over what a definition starts. */
  readonly printOf: (definition: Definition) => string;
}

export function isRunning({ scope }: Pick<Definition, 'scope'>): boolean {
  return scope === 'running';
}

/** Puts the servers that run beside those that were written down: the same by address or by launch, and never by name. */
export function matchRunning<G extends MatchCandidate>(
  written: readonly G[],
  running: readonly G[],
  recognition: MatchRules,
): G[] {
  if (running.length === 0) return [...written];
  const isThere = written.filter(({ active }) => !cannotRun(recognition.stateOf(active)));
  const byAddress = firstBy(isThere, ({ active }) => (active.url === undefined ? undefined : addressKey(active.url)));
  const claims = running.some(({ active }) => active.standsFor !== undefined);
  const byLaunch = claims
    ? firstBy(isThere, ({ active }) => (active.command === undefined ? undefined : recognition.printOf(active)))
    : new Map<string, G>();
  const alone = merged(running).filter((group) => {
    const { url, standsFor } = group.active;
    const [neighbour, twin] = [byAddress.get(addressKey(url ?? '')), byLaunch.get(standsFor ?? '')];
    if (neighbour) {
      // It is reached as it is written down, with whatever headers stand there; nothing new is trusted.
      take(neighbour, group);
      return false;
    }
    if (!twin) return true;
    // Whoever can write a file could claim to be any server: until a person says yes it is another one, and waits.
    if (url !== undefined && recognition.stateOf(group.active) !== 'ready') return true;
    take(twin, group);
    if (url !== undefined) twin.runningInstance ??= group.active;
    return false;
  });
  return [...written, ...alone];
}

/** A server that was written down as something to start, with all that was said of it, reached where it runs already. */
export function asRunningDefinition(written: Definition, running: Definition): Definition {
  const { command, args, env, cwd, envFile, headers, headersHelper, authToken, oauth, missing, ...rest } = written;
  const { transport, url, written: announced } = running;
  return { ...rest, transport, written: announced, ...(url !== undefined && { url }) };
}

/** One server that is announced in two places is one. */
function merged<G extends MatchCandidate>(running: readonly G[]): G[] {
  const known = new Map<string, G>();
  for (const group of running) {
    const { active } = group;
    const key = JSON.stringify([identityOf(active), active.standsFor ?? '']);
    const held = known.get(key);
    if (held) take(held, group);
    else known.set(key, group);
  }
  return [...known.values()];
}

function take(held: MatchCandidate, { origins, shadowed }: MatchCandidate): void {
  for (const one of origins) held.origins.push(one);
  for (const one of shadowed) held.shadowed.push(one);
}

/** The same door by whichever name of this machine; a server says one of them, and who wrote it down perhaps another. */
export function addressKey(url: string): string {
  const address = plainUrl(url);
  return address.replace(/^(\w+:\/\/(?:[^/@]*@)?)localhost(?=[:/?]|$)/, (_, before) => `${before}127.0.0.1`);
}

function firstBy<G>(groups: readonly G[], keyOf: (group: G) => string | undefined): Map<string, G> {
  const found = new Map<string, G>();
  for (const group of groups) {
    const key = keyOf(group);
    if (key !== undefined && !found.has(key)) found.set(key, group);
  }
  return found;
}
