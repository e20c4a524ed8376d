import type { Discovery, Held } from '../discovery/index.js';
import { type Definition, maskDefinition, type Origin, type Server } from '../model/index.js';
import { lastRuling, type Ruling, shownForm, stateOf, type Verdict } from '../policy/index.js';
import { contentOf, coverageOf } from './covered-text.js';

/** What became of one definition, and why. */
export interface DefinitionOutcome extends Origin {
  readonly name: string;
  readonly fate: 'holds' | 'same-server' | 'shadowed' | 'ignored';
  readonly because: string;
  /** What its own client, and then our policy, says of it alone. */
  readonly clientState: string;
  readonly verdict: string;
}

/** Everything there is to say about one name, fit for one screen. */
export interface Explanation {
  readonly server: Server | undefined;
  readonly definitions: readonly DefinitionOutcome[];
  readonly verdict: Verdict | undefined;
  readonly approval: string;
  /** What differs from what was approved last, field by field, masked. */
  readonly changes: readonly string[];
  /** The files whose content the approval covers, and what to know about them. */
  readonly files: readonly string[];
  readonly notes: readonly string[];
  /** Which of its tools the entry that holds switches on or off, where it says so. */
  readonly tools?: Definition['tools'];
}

/** Why the server of this name is what it is; undefined if nobody ever wrote the name down. */
export function explain(discovery: Discovery, name: string): Explanation | undefined {
  const near = indexOf(name, discovery);
  const held = discovery.held[near];
  const ignored = discovery.ignored.filter((one) => one.name === (held?.active.name ?? name));
  if (!held && ignored.length === 0) return undefined;
  const verdict = held && discovery.verdicts.get(held.active);
  return {
    server: discovery.servers[near],
    definitions: [...(held ? fatesOf(held, discovery) : []), ...ignored.map((one) => ignoredFate(one, discovery))],
    verdict,
    approval: held && verdict ? approvalText(held.active, verdict, discovery) : 'nothing holds that could be approved',
    changes: held && mayHaveChanged(verdict, discovery) ? changesSince(held.active, discovery) : [],
    ...(held ? coverageOf(held.active, discovery) : { files: [], notes: [] }),
    ...(held?.active.tools && { tools: held.active.tools }),
  };
}

/** Also of one that is started although its files changed. */
function mayHaveChanged(verdict: Verdict | undefined, { grounds }: Discovery): boolean {
  return verdict?.kind === 'needs-approval' || (verdict?.kind === 'allowed' && grounds.fileChanges === 'warn');
}

/** By its own name, then by its alias, then by what one of its definitions is called: a server has one name and may have many. */
function indexOf(name: string, { held, servers }: Discovery): number {
  const wanted = name.toLowerCase();
  const finders = [
    () => held.findIndex((one) => one.name === name),
    () => servers.findIndex((one) => [one.name.toLowerCase(), one.alias].includes(wanted)),
    () => held.findIndex((one) => [...one.origins, ...one.shadowed].some((definition) => definition.name === name)),
  ];
  return finders.reduce((found, find) => (found >= 0 ? found : find()), -1);
}

function fatesOf({ active: chosen, origins, shadowed }: Held, discovery: Discovery): DefinitionOutcome[] {
  return [
    fate(chosen, 'holds', 'the first in the order of sources that nothing above it replaces', discovery),
    ...origins
      .filter((one) => one !== chosen)
      .map((one) => fate(one, 'same-server', 'it starts or reaches the same', discovery)),
    ...shadowed.map((one) => fate(one, 'shadowed', whyShadowed(one, chosen, discovery), discovery)),
  ];
}

function whyShadowed(lost: Definition, won: Definition, { verdicts }: Discovery): string {
  const verdict = verdicts.get(lost);
  const powerless =
    verdict && ['rejected', 'blocked-by-policy', 'client-ignores', 'inventory-only'].includes(stateOf(verdict));
  if (powerless && verdict) return `it is ${stateOf(verdict)} and takes no name from one that is not`;
  if (lost.client !== won.client) return `a name given by ${won.scope} counts for every client`;
  if (lost.scope !== won.scope) return `in ${lost.client}, ${won.scope} holds over ${lost.scope}`;
  return `in ${lost.client}, ${won.source} is read with more weight`;
}

function ignoredFate(definition: Definition, discovery: Discovery): DefinitionOutcome {
  return fate(definition, 'ignored', `${discovery.exclusive.join(', ')} has exclusive control`, discovery);
}

function fate(
  definition: Definition,
  what: DefinitionOutcome['fate'],
  because: string,
  { verdicts }: Discovery,
): DefinitionOutcome {
  const { name, client, scope, source, line, state } = definition;
  const verdict = verdicts.get(definition);
  return {
    name,
    client,
    scope,
    source,
    line,
    fate: what,
    because,
    clientState: state,
    verdict: verdict ? stateOf(verdict) : 'ignored',
  };
}

function approvalText(definition: Definition, verdict: Verdict, discovery: Discovery): string {
  const ruling = discovery.approvals.rulings.get(discovery.approvals.sealOf(definition));
  if (ruling && verdict.kind !== 'needs-approval') return `${ruling.verdict} ${ruling.at}`;
  switch (verdict.kind) {
    case 'allowed':
      return 'not needed: it comes from the user’s own files';
    case 'needs-approval':
      if (verdict.because === 'files') return 'waits: a file that it runs or reads changed since it was approved';
      return {
        new: 'waits: nobody has decided yet',
        changed: 'waits: it changed since it was decided',
        reviewed: 'waits: as reviewed by your team',
      }[verdict.because];
    default:
      return 'does not matter while it cannot run';
  }
}

/** What a person has to look at before saying yes again. */
export function changesSince(definition: Definition, discovery: Discovery): string[] {
  const { rulings, sealOf, content } = discovery.approvals;
  const same = rulings.get(sealOf(definition));
  // Whoever decides the other way about the same thing has nothing new to look at.
  if (same?.verdict === 'denied') return [];
  if (same) return [...content.changes(same, contentOf(definition, discovery))];
  const before = lastRuling(rulings, definition);
  if (!before) return [];
  const inFiles = before.content ? content.changes(before, contentOf(definition, discovery)) : [];
  return [...difference(before, definition), ...inFiles];
}

function difference({ shown }: Ruling, definition: Definition): string[] {
  const now = shownForm(definition);
  const keys = [...new Set([...Object.keys(shown), ...Object.keys(now)])] as (keyof typeof now)[];
  const changed = keys
    .filter((key) => JSON.stringify(shown[key]) !== JSON.stringify(now[key]))
    .map((key) => `${key}: ${JSON.stringify(shown[key]) ?? 'nothing'} → ${JSON.stringify(now[key]) ?? 'nothing'}`);
  return changed.length > 0 ? changed : ['the value of a secret or of a variable it refers to'];
}

/** What would run, masked, in the words of a command line or an address. */
export function launchText(definition: Definition): string {
  const { command, args = [], url } = maskDefinition(definition);
  return command === undefined
    ? (url ?? 'nothing that can be started from outside')
    : [command, ...args].map(quote).join(' ');
}

/** What it would run with, masked: variables, headers and the folder. */
export function surroundingsText(definition: Definition): readonly (readonly [string, string])[] {
  const { env = {}, headers = {}, cwd, headersHelper, envFile, oauth = {} } = maskDefinition(definition);
  const pairs = (record: NonNullable<Definition['oauth']>) =>
    Object.entries(record)
      .map(([name, value]) => `${name}=${quote(String(value))}`)
      .join(' ');
  const rows: readonly (readonly [string, string])[] = [
    ['env', pairs(env)],
    ['headers', pairs(headers)],
    ['helper', headersHelper ?? ''],
    ['env file', envFile ?? ''],
    ['sign-in', pairs(oauth)],
    ['in', cwd ?? ''],
  ];
  return rows.filter(([, text]) => text !== '');
}

function quote(word: string): string {
  return /^[\w@%+=:,./\\[\]-]+$/.test(word) ? word : JSON.stringify(word);
}
