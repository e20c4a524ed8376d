import { type Discovery, toRecord } from '../discovery/index.js';
import { type Definition, maskDefinition, type Origin, type ServerRecord } from '../model/index.js';
import { lastRuling, type Ruling, type Server, shownForm, stateOf, type Verdict } from '../policy/index.js';
import { contentOf, coverageOf } from './covered-text.js';
import { type MissingValue, missingValues } from './missing-values.js';

/** The role of one definition, and the reason for it. */
export interface DefinitionOutcome extends Origin {
  readonly name: string;
  readonly fate: 'active' | 'duplicate' | 'shadowed' | 'ignored';
  readonly because: string;
  /** The state in its own client, and the verdict of our policy on it alone. */
  readonly clientState: string;
  readonly verdict: string;
  /** Other clients that read this entry from the same file. */
  readonly alsoReadBy?: readonly Reader[];
}

/** A client that reads the entry of another one, and how it treats it. */
interface Reader {
  readonly client: string;
  readonly clientState: string;
}

/** Everything about one server name. */
export interface Explanation {
  readonly server: ServerRecord | undefined;
  readonly definitions: readonly DefinitionOutcome[];
  readonly verdict: Verdict | undefined;
  readonly approval: string;
  /** The differences from the approved definition, by field, masked. */
  readonly changes: readonly string[];
  /** The files that the approval covers, and warnings about them. */
  readonly files: readonly string[];
  readonly notes: readonly string[];
  /** The values that it needs and that nothing provides, with the command that stores each. */
  readonly needs: readonly MissingValue[];
  /** The tools that the active definition enables or disables, if it does. */
  readonly tools?: Definition['tools'];
}

/** Explains the state of a server; undefined for an unknown name. */
export function explain(discovery: Discovery, name: string): Explanation | undefined {
  const server = serverNamed(name, discovery);
  const definition = server?.definition;
  const ignored = discovery.ignored.filter((one) => one.name === (definition?.name ?? name));
  if (!server && ignored.length === 0) return undefined;
  return {
    server: server && toRecord(server),
    definitions: [...(server ? fatesOf(server, discovery) : []), ...ignored.map((one) => ignoredFate(one, discovery))],
    verdict: server?.verdict,
    approval: server
      ? approvalText(server.definition, server.verdict, discovery)
      : 'not applicable: there is no active definition',
    changes: server && mayHaveChanged(server.verdict, discovery) ? changesSince(server.definition, discovery) : [],
    ...(definition ? coverageOf(definition, discovery) : { files: [], notes: [] }),
    needs: server ? missingValues(server.name, server.definition, discovery.host) : [],
    ...(definition?.tools && { tools: definition.tools }),
  };
}

/** Also true for a server that runs although its files changed. */
function mayHaveChanged(verdict: Verdict, { grounds }: Discovery): boolean {
  return verdict.kind === 'needs-approval' || (verdict.kind === 'allowed' && grounds.fileChanges === 'warn');
}

/** Finds a server by name, then by alias, then by the name of any of its definitions, because duplicates may have other names. */
export function serverNamed(name: string, { servers }: Pick<Discovery, 'servers'>): Server | undefined {
  const wanted = name.toLowerCase();
  return (
    servers.find((one) => one.name === name) ??
    servers.find((one) => [one.name.toLowerCase(), one.alias].includes(wanted)) ??
    servers.find((one) => [...one.duplicates, ...one.shadowed].some((definition) => definition.name === name))
  );
}

function fatesOf({ definition, duplicates, shadowed }: Server, discovery: Discovery): DefinitionOutcome[] {
  const others = duplicates.filter((one) => one !== definition);
  return withReaders([
    [definition, fate(definition, 'active', 'the definition with the highest precedence', discovery)],
    ...others.map((one) => [one, fate(one, 'duplicate', 'it has the same command or URL', discovery)] as const),
    ...shadowed.map((one) => [one, fate(one, 'shadowed', whyShadowed(one, definition, discovery), discovery)] as const),
  ]);
}

/** One outcome for an entry that several clients read from one file, without clients that are not installed. */
function withReaders(outcomes: readonly (readonly [Definition, DefinitionOutcome])[]): DefinitionOutcome[] {
  const entries = new Map<string, (readonly [Definition, DefinitionOutcome])[]>();
  for (const outcome of outcomes) {
    const [{ source, line, name }, { fate: what }] = outcome;
    const key = JSON.stringify([source, line, name, what === 'shadowed']);
    entries.set(key, [...(entries.get(key) ?? []), outcome]);
  }
  return [...entries.values()].flatMap((readers) => {
    const present = readers.filter(([{ clientIsAbsent }]) => !clientIsAbsent);
    const [shown, ...others] = (present.length > 0 ? present : readers).map(([, outcome]) => outcome);
    const [, first] = readers[0] ?? [];
    if (!shown || !first) return [];
    const alsoReadBy = others
      .filter(({ client }) => client !== shown.client)
      .map(({ client, clientState }) => ({ client, clientState }));
    const { fate: what, because } = first;
    return [{ ...shown, fate: what, because, ...(alsoReadBy.length > 0 && { alsoReadBy }) }];
  });
}

function whyShadowed(lost: Definition, won: Definition, { verdicts }: Discovery): string {
  const verdict = verdicts.get(lost);
  const powerless =
    verdict && ['rejected', 'blocked-by-policy', 'client-ignores', 'inventory-only'].includes(stateOf(verdict));
  if (powerless && verdict) return `it is ${stateOf(verdict)} so it replaces no other definition`;
  if (lost.client !== won.client) return `the ${won.scope} definition of this name applies to every client`;
  if (lost.scope !== won.scope) return `in ${lost.client}, ${won.scope} has precedence over ${lost.scope}`;
  return `in ${lost.client}, ${won.source} has precedence`;
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
      return 'not needed: it is defined in the user’s own files';
    case 'needs-approval':
      if (verdict.because === 'files') return 'pending: a file that it runs or reads changed since the approval';
      return {
        new: 'pending: not decided yet',
        changed: 'pending: it changed since the last decision',
        reviewed: 'pending: unchanged since your team reviewed it',
      }[verdict.because];
    default:
      return 'not applicable: the server cannot run';
  }
}

/** The changes that the user has to review before approving again. */
export function changesSince(definition: Definition, discovery: Discovery): string[] {
  const { rulings, sealOf, content } = discovery.approvals;
  const same = rulings.get(sealOf(definition));
  // An earlier denial of the same content means that nothing has changed.
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

/** The command line or URL, masked. */
export function launchText(definition: Definition): string {
  const { command, args = [], url } = maskDefinition(definition);
  return command === undefined ? (url ?? 'neither command nor URL') : [command, ...args].map(quote).join(' ');
}

/** The variables, headers and directory, masked. */
export function launchDetailsOf(definition: Definition): readonly (readonly [string, string])[] {
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
