import type { Definition, Scope, State } from '../model/index.js';

/** The nearer to the user's hands, the higher; an administrator is above all, and who only says of itself that it runs is below. */
const RANK: Readonly<Record<Scope, number>> = {
  running: -1,
  claudeai: 0,
  plugin: 1,
  user: 2,
  profile: 2,
  extension: 2,
  project: 3,
  agent: 3,
  server: 3,
  local: 4,
  dynamic: 5,
  managed: 6,
};

/** Entries that no client would ever start take no name from one that it would. */
const POWERLESS: ReadonlySet<State> = new Set(['rejected', 'blocked-by-policy', 'client-ignores', 'inventory-only']);

export function cannotRun(state: State): boolean {
  return POWERLESS.has(state);
}

/** Whether `next` holds over `held`. Equal ones stay in the order in which they were found. */
export function hasPrecedenceOver(
  next: Definition,
  held: Definition,
  stateOf: (definition: Definition) => State,
): boolean {
  const isWeak = cannotRun(stateOf(next));
  if (isWeak !== cannotRun(stateOf(held))) return !isWeak;
  if (RANK[next.scope] !== RANK[held.scope]) return RANK[next.scope] > RANK[held.scope];
  return next.precedence > held.precedence;
}

/** A name in these scopes counts for every client. */
export function countsEverywhere(scope: Scope): boolean {
  return scope === 'dynamic' || scope === 'managed';
}
