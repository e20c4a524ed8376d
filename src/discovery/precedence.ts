import type { Definition, Scope, State } from '../model/index.js';

/** Precedence: managed > dynamic > local > project > user > plugin > self-announced. */
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

/** An entry that its client never starts does not take the name of one that its client may start. */
const NEVER_STARTED: ReadonlySet<State> = new Set([
  'rejected',
  'blocked-by-policy',
  'client-ignores',
  'inventory-only',
]);

export function cannotRun(state: State): boolean {
  return NEVER_STARTED.has(state);
}

/** Whether `next` has precedence over `held`. Equal ones keep the order in which they were found. */
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

/** Names in these scopes apply to every client. */
export function countsEverywhere(scope: Scope): boolean {
  return scope === 'dynamic' || scope === 'managed';
}
