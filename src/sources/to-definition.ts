import { resolve, sep } from 'node:path';
import { looksSecret, type Mutable, shellCharacter } from '../base/index.js';
import type { Definition, Host, Input, LaunchFields, Problem, State } from '../model/index.js';
import type { Place, StateRule } from './client.js';
import { type Started, startedBy } from './command-line.js';
import { selfServer, whyIsSelf } from './detect-self.js';
import type { Draft } from './dialect.js';
import { expandLaunch, type Launch } from './expand-launch.js';
import { at, InvalidEntry, isFields } from './fields.js';
import type { RawEntry } from './find-entries.js';
import { nestedGateway, outdatedGateway } from './known-gateways.js';
import { literalReferences } from './literal-references.js';
import type { ProblemDraft } from './problem-draft.js';
import { windowsShim } from './windows-shim.js';

/** One entry with its location. */
export interface LocatedEntry {
  readonly client: string;
  readonly place: Place;
  readonly source: string;
  readonly line: number;
  readonly precedence: number;
  readonly written: RawEntry;
  /** Whether a lower layer comes from a repository, so that part of the launch may come from there. */
  readonly isBrought?: boolean;
}

/** If several states apply, the first one in this list is reported. */
const STRENGTH: readonly State[] = [
  'ready',
  'needs-input',
  'pending-approval',
  'disabled',
  'rejected',
  'blocked-by-policy',
  'client-ignores',
  'inventory-only',
];

function stronger(one: State, other: State): State {
  return STRENGTH.indexOf(other) > STRENGTH.indexOf(one) ? other : one;
}

/** Converts one entry to a definition; undefined if it is malformed or is this gateway. */
export function toDefinition(
  sighting: LocatedEntry,
  host: Host,
  judge: StateRule | undefined,
): { definition?: Definition; problems: Problem[] } {
  const { written, place, source, line } = sighting;
  const problems: Problem[] = [];
  const report = (draft: ProblemDraft) => problems.push({ ...draft, source, line, server: written.name });
  try {
    const draft = readEntry(sighting);
    if (!draft) return { problems };
    const launch = expandLaunch(draft, sighting, host);
    const started = launch.command === undefined ? [] : startedBy(launch.command, launch.args ?? []);
    const self = whyIsSelf(
      written.name,
      started,
      launch.cwd === undefined ? host.cwd : resolve(host.cwd, launch.cwd),
      host,
    );
    if (self !== undefined) {
      report(selfServer(self));
      return { problems };
    }
    if (draft.state !== 'inventory-only') checkLaunch(draft, launch);
    for (const problem of draft.problems) report(problem);
    for (const problem of advice(sighting, launch, started, host)) report(problem);
    for (const problem of helperAdvice(draft, host)) report(problem);
    const literal = literalReferences(draft, sighting.client, place, started);
    if (literal) report(literal);
    if (written.ignored) report(written.ignored);
    const definition = assemble(sighting, draft, launch, nestedGateway(started));
    const judgement = judge?.(definition, place, written.value);
    if (judgement?.problem) report(judgement.problem);
    const ofPlace = judgement?.state ?? place.state ?? (isMixed(sighting) ? 'pending-approval' : 'ready');
    const state = stronger(definition.state, ofPlace);
    if (state === definition.state) return { definition, problems };
    return { definition: { ...definition, state, enabled: definition.enabled && state !== 'disabled' }, problems };
  } catch (error) {
    if (!(error instanceof InvalidEntry)) throw error;
    report({ code: 'invalid-entry', severity: 'error', message: error.message, hint: error.hint });
    return { problems };
  }
}

/** An entry of the user or administrator with fields from a repository. */
function isMixed({ isBrought, place }: LocatedEntry): boolean {
  return isBrought === true && place.scope !== 'project';
}

function readEntry({ written, place }: LocatedEntry): Draft | undefined {
  if (written.name.trim() === '') throw new InvalidEntry('it has no name', 'give it a name');
  if (!isFields(written.value))
    throw new InvalidEntry('the entry is not a map', 'write { "command": … } or { "url": … }');
  return place.dialect(written.value);
}

function assemble(sighting: LocatedEntry, draft: Draft, launch: Launch, gateway: string | undefined): Definition {
  const { client, place, source, line, precedence, written } = sighting;
  // Field by field instead of a spread, because this runs for every entry.
  const { transport, enabled, state, problems: _, byName: __, ...fields } = draft;
  const { missing, inputs, commands, ...launched } = launch;
  const lacks = inputs.length > 0 || commands.length > 0 || (place.expansion.unset === 'fail' && missing.length > 0);
  const own: State = written.ignored ? 'client-ignores' : (state ?? 'ready');
  const definition: Mutable<Definition> = {
    name: written.name,
    client,
    scope: place.scope,
    source,
    line,
    transport,
    state: stronger(own, enabled ? (lacks ? 'needs-input' : 'ready') : 'disabled'),
    enabled,
    precedence,
    written: launch.written,
  };
  Object.assign(definition, fields, launched);
  if (written.takenOver) definition.takenOver = true;
  if (missing.length > 0) definition.missing = missing;
  if (inputs.length > 0) definition.inputs = inputs.map((id) => describeInput(id, written.inputs));
  if (gateway !== undefined) definition.nestedGateway = gateway;
  return definition;
}

function describeInput(id: string, declared: readonly unknown[] = []): Input {
  const found = declared.find((one) => at(one, 'id') === id);
  const [type, description, password] = ['type', 'description', 'password'].map((key) => at(found, key));
  return {
    id,
    ...(typeof type === 'string' && { type }),
    ...(typeof description === 'string' && { description }),
    ...(typeof password === 'boolean' && { password }),
  };
}

/** Rejects values that no process or connection can be started with. */
function checkLaunch(draft: Draft, launch: Launch): void {
  const { command = '', args = [], env = {} } = launch;
  if (command.includes('\0') || args.some(hasNul) || Object.values(env).some(hasNul))
    throw new InvalidEntry('it contains a NUL character', 'remove the character');
  if (launch.command !== undefined && launch.command.trim() === '') {
    throw new InvalidEntry('its command is empty', 'name the program to start under "command"');
  }
  const unresolved = launch.missing.length + launch.inputs.length + launch.commands.length > 0;
  if (launch.url === undefined || unresolved) return;
  const protocol = URL.canParse(launch.url) ? new URL(launch.url).protocol : '';
  const allowed = draft.transport === 'ws' ? /^wss?:$/ : /^(https?|unix|pipe):$/;
  if (allowed.test(protocol)) return;
  const expected = draft.transport === 'ws' ? 'ws:// or wss://' : 'http:// or https://';
  throw new InvalidEntry('its "url" is not a valid web address', `write a URL that begins with ${expected}`);
}

function hasNul(word: string): boolean {
  return word.includes('\0');
}

function advice(sighting: LocatedEntry, launch: Launch, started: readonly Started[], host: Host): ProblemDraft[] {
  const { place, source, written } = sighting;
  // Files of a repository are shared with everyone who clones it, except files in the `local` scope.
  const isInside = host.cwd !== host.home && source.startsWith(`${host.cwd}${sep}`);
  const isShared = place.scope === 'project' || (place.scope !== 'local' && isInside);
  const found = [...launch.missing.map(missingVariable), ...launch.commands.map(commandNotRun)];
  const shim = host.platform === 'win32' && launch.command !== undefined && windowsShim(launch.command, launch.written);
  const outdated = outdatedGateway(started);
  if (shim) found.push(shim);
  if (outdated) found.push(outdated);
  if (isShared && hasLiteralSecret(launch.written)) found.push(secretInFile(written.name));
  return found;
}

/** The connection would fail later; this warns the author earlier. */
function helperAdvice({ headersHelper = '' }: Draft, { platform }: Host): ProblemDraft[] {
  const character = shellCharacter(headersHelper, platform);
  if (character === undefined) return [];
  return [
    {
      code: 'helper-needs-shell',
      severity: 'warning',
      message: `its headersHelper contains ${JSON.stringify(character)}, which needs a shell`,
      hint: 'it runs without a shell: use a program with arguments, or put the commands into a script',
    },
  ];
}

function hasLiteralSecret({ args = [], env = {}, headers = {}, url = '' }: LaunchFields): boolean {
  return [...args, ...Object.values(env), ...Object.values(headers), url].some(looksSecret);
}

function secretInFile(name: string): ProblemDraft {
  return {
    code: 'secret-in-file',
    severity: 'warning',
    message: `"${name}" contains a secret in a file of the project`,
    hint: 'put the secret into an environment variable and refer to it; if the file was ever shared, replace the secret',
  };
}

function missingVariable(name: string): ProblemDraft {
  const file = /^file:(.*)$/s.exec(name)?.[1];
  return {
    code: 'missing-variable',
    severity: 'warning',
    message:
      file === undefined ? `the variable ${name} has no value` : `the file ${file} that it refers to cannot be read`,
    hint:
      file === undefined
        ? `set ${name} in the environment in which Portolan is started`
        : 'create the file, or write the value in another way',
  };
}

function commandNotRun(): ProblemDraft {
  return {
    code: 'command-substitution-not-run',
    severity: 'warning',
    message: 'it contains a command instead of a value; Portolan does not run commands from files',
    hint: 'put the value into an environment variable and refer to that',
  };
}
