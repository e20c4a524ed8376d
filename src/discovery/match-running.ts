import type { Definition, State } from '../model/index.js';
import { launchIdentity, plainUrl } from '../model/index.js';
import { cannotRun } from './precedence.js';

/** The fields of a server that are needed to match it with running servers. */
export interface MatchCandidate {
  readonly definition: Definition;
  readonly duplicates: Definition[];
  readonly shadowed: Definition[];
  /** An approved running server that is used instead of starting this one. */
  runningInstance?: Definition;
}

/** The rules by which a running server is matched with a configured one. */
export interface MatchRules {
  readonly stateOf: (definition: Definition) => State;
  /** The hash over the launch of a definition. */
  readonly fingerprintOf: (definition: Definition) => string;
}

export function isRunning({ scope }: Pick<Definition, 'scope'>): boolean {
  return scope === 'running';
}

/** Matches running servers with configured ones: by URL or by launch, never by name. */
export function matchRunning<G extends MatchCandidate>(
  written: readonly G[],
  running: readonly G[],
  recognition: MatchRules,
): G[] {
  if (running.length === 0) return [...written];
  const isThere = written.filter(({ definition }) => !cannotRun(recognition.stateOf(definition)));
  const byAddress = firstBy(isThere, ({ definition }) =>
    definition.url === undefined ? undefined : addressKey(definition.url),
  );
  const claims = running.some(({ definition }) => definition.standsFor !== undefined);
  const byLaunch = claims
    ? firstBy(isThere, ({ definition }) =>
        definition.command === undefined ? undefined : recognition.fingerprintOf(definition),
      )
    : new Map<string, G>();
  const alone = merged(running).filter((group) => {
    const { url, standsFor } = group.definition;
    const [sameAddress, sameLaunch] = [byAddress.get(addressKey(url ?? '')), byLaunch.get(standsFor ?? '')];
    if (sameAddress) {
      // The connection uses the configured entry with its headers, so nothing new is trusted.
      take(sameAddress, group);
      return false;
    }
    if (!sameLaunch) return true;
    // Any process that can write a registry could claim to be any server, so an unapproved one stays separate.
    if (url !== undefined && recognition.stateOf(group.definition) !== 'ready') return true;
    take(sameLaunch, group);
    if (url !== undefined) sameLaunch.runningInstance ??= group.definition;
    return false;
  });
  return [...written, ...alone];
}

/** The configured server with all its settings, but reached at the URL of the running instance. */
export function asRunningDefinition(written: Definition, running: Definition): Definition {
  const { command, args, env, cwd, envFile, headers, headersHelper, authToken, oauth, missing, ...rest } = written;
  const { transport, url, written: announced } = running;
  return { ...rest, transport, written: announced, ...(url !== undefined && { url }) };
}

/** Merges a server that is announced in two registries. */
function merged<G extends MatchCandidate>(running: readonly G[]): G[] {
  const known = new Map<string, G>();
  for (const group of running) {
    const { definition } = group;
    const key = JSON.stringify([launchIdentity(definition), definition.standsFor ?? '']);
    const held = known.get(key);
    if (held) take(held, group);
    else known.set(key, group);
  }
  return [...known.values()];
}

function take(held: MatchCandidate, { duplicates, shadowed }: MatchCandidate): void {
  for (const one of duplicates) held.duplicates.push(one);
  for (const one of shadowed) held.shadowed.push(one);
}

/**
 * A key that is equal for all loopback names of this machine, because an announcement may use another name than the
 * file.
 */
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
