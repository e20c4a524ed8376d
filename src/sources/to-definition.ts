import { dirname, isAbsolute, resolve, sep } from 'node:path';
import { looksSecret } from '../base/index.js';
import type { Definition, Input, LaunchFields, Problem, State } from '../model/index.js';
import type { Judge, Place } from './client.js';
import { type Started, startedBy } from './command-line.js';
import { type Draft, defined } from './dialect.js';
import type { ExpandedField, Scenery } from './expansion.js';
import { at, InvalidEntry, isFields } from './fields.js';
import type { Written } from './find.js';
import { nestedGateway, outdatedGateway } from './gateways.js';
import type { Host } from './host.js';
import type { ProblemDraft } from './problem-draft.js';
import { referencedFile } from './referenced-file.js';
import { selfReason } from './self.js';
import { windowsShim } from './windows.js';

/** One entry with everything known about where it stands. */
export interface Sighting {
  readonly client: string;
  readonly place: Place;
  readonly source: string;
  readonly line: number;
  readonly precedence: number;
  readonly written: Written;
}

/** When several things keep an entry from running, the one that its owner must mend first. */
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

export function strongest(states: readonly State[]): State {
  return states.reduce((held, next) => (STRENGTH.indexOf(next) > STRENGTH.indexOf(held) ? next : held), 'ready');
}

/** Makes the definition of one entry, or none if the entry is broken or this very gateway. */
export function toDefinition(
  sighting: Sighting,
  host: Host,
  judge: Judge | undefined,
): { definition?: Definition; problems: Problem[] } {
  const { written, place, source, line } = sighting;
  const problems: Problem[] = [];
  const report = (draft: ProblemDraft) => problems.push({ ...draft, source, line, server: written.name });
  try {
    const draft = readEntry(sighting);
    if (!draft) return { problems };
    const launch = expandLaunch(draft, sighting, host);
    const started = launch.command === undefined ? [] : startedBy(launch.command, launch.args ?? []);
    const self = selfReason(
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
    for (const problem of [...draft.problems, ...advice(sighting, launch, started, host)]) report(problem);
    if (written.ignored) report(written.ignored);
    const definition = assemble(sighting, draft, launch, nestedGateway(started));
    const judgement = judge?.(definition, place, written.value);
    if (judgement?.problem) report(judgement.problem);
    const state = strongest([definition.state, judgement?.state ?? place.state ?? 'ready']);
    if (state === definition.state) return { definition, problems };
    return { definition: { ...definition, state, enabled: definition.enabled && state !== 'disabled' }, problems };
  } catch (error) {
    if (!(error instanceof InvalidEntry)) throw error;
    report({ code: 'invalid-entry', severity: 'error', message: error.message, hint: error.hint });
    return { problems };
  }
}

function readEntry({ written, place }: Sighting): Draft | undefined {
  if (written.name.trim() === '') throw new InvalidEntry('it has no name', 'give it a name');
  if (!isFields(written.value))
    throw new InvalidEntry('the entry is not a map', 'write { "command": … } or { "url": … }');
  return place.dialect(written.value);
}

interface Launch extends LaunchFields {
  readonly envFile?: string;
  readonly written: LaunchFields;
  readonly missing: readonly string[];
  readonly inputs: readonly string[];
  readonly commands: readonly string[];
}

function expandLaunch(draft: Draft, { place, source, written }: Sighting, host: Host): Launch {
  const missing = new Set<string>();
  const inputs = new Set<string>();
  const commands = new Set<string>();
  // An entry out of a variable stands in no folder; its client looks from where it is started.
  const folder = isAbsolute(source) ? dirname(source) : host.cwd;
  const scenery: Scenery = {
    host,
    folder,
    variables: written.variables ?? {},
    readFile: (path) => referencedFile(path, folder, host),
  };
  const expand = (field: ExpandedField, text: string): string => {
    if (!place.expansion.fields.has(field)) return text;
    const expanded = place.expansion.expand(text, scenery, field);
    for (const name of expanded.missing) missing.add(name);
    for (const id of expanded.inputs) inputs.add(id);
    for (const command of expanded.commands) commands.add(command);
    return expanded.text;
  };
  const expandRecord = (field: 'env' | 'headers'): [LaunchFields['env'], LaunchFields['env']] => {
    const named = Object.entries(draft.byName?.[field] ?? {});
    if (draft[field] === undefined && named.length === 0) return [undefined, undefined];
    const literal = Object.entries(draft[field] ?? {});
    const values = literal.map(([key, text]) => [key, expand(field, text)]);
    for (const [key, { variable: name, prefix = '', asks }] of named) {
      const value = place.expansion.lookUp(name, scenery);
      if (value !== undefined) values.push([key, `${prefix}${value}`]);
      else if (asks) inputs.add(name);
      else missing.add(name);
    }
    const references = named.map(([key, { variable: name, prefix = '' }]) => [key, `${prefix}\${${name}}`]);
    return [Object.fromEntries(values), Object.fromEntries([...literal, ...references])];
  };
  const [env, writtenEnv] = expandRecord('env');
  const [headers, writtenHeaders] = expandRecord('headers');
  const { command, args, cwd, url, envFile } = draft;
  return {
    ...defined({
      command: command === undefined ? undefined : expand('command', command),
      args: args?.map((arg) => expand('args', arg)),
      env,
      cwd: cwd === undefined ? undefined : expand('cwd', cwd),
      url: url === undefined ? undefined : expand('url', url),
      headers,
      envFile: envFile === undefined ? undefined : expand('envFile', envFile),
    }),
    written: defined({ command, args, env: writtenEnv, cwd, url, headers: writtenHeaders }),
    missing: [...missing],
    inputs: [...inputs],
    commands: [...commands],
  };
}

function assemble(sighting: Sighting, draft: Draft, launch: Launch, gateway: string | undefined): Definition {
  const { client, place, source, line, precedence, written } = sighting;
  const { transport, enabled, state, problems: _, byName: __, ...fields } = draft;
  const { missing, inputs, commands, ...launched } = launch;
  const lacks = inputs.length > 0 || commands.length > 0 || (place.expansion.unset === 'fail' && missing.length > 0);
  return {
    ...fields,
    name: written.name,
    client,
    scope: place.scope,
    source,
    line,
    transport,
    state: strongest([
      state ?? 'ready',
      enabled ? 'ready' : 'disabled',
      lacks ? 'needs-input' : 'ready',
      written.ignored ? 'client-ignores' : 'ready',
    ]),
    enabled,
    precedence,
    ...launched,
    ...(missing.length > 0 && { missing }),
    ...(inputs.length > 0 && { inputs: inputs.map((id) => describeInput(id, written.inputs)) }),
    ...(gateway !== undefined && { nestedGateway: gateway }),
  };
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

/** What no process and no connection could be made of. */
function checkLaunch(draft: Draft, launch: Launch): void {
  const words = [launch.command ?? '', ...(launch.args ?? []), ...Object.values(launch.env ?? {})];
  if (words.some((word) => word.includes('\0')))
    throw new InvalidEntry('it has a NUL character in it', 'remove the character');
  if (launch.command !== undefined && launch.command.trim() === '') {
    throw new InvalidEntry('its command is empty', 'name the program to start under "command"');
  }
  const unresolved = launch.missing.length + launch.inputs.length + launch.commands.length > 0;
  if (launch.url === undefined || unresolved) return;
  const protocol = URL.canParse(launch.url) ? new URL(launch.url).protocol : '';
  const allowed = draft.transport === 'ws' ? /^wss?:$/ : /^(https?|unix|pipe):$/;
  if (allowed.test(protocol)) return;
  const expected = draft.transport === 'ws' ? 'ws:// or wss://' : 'http:// or https://';
  throw new InvalidEntry('its url is not a web address', `write a URL that begins with ${expected}`);
}

function advice(sighting: Sighting, launch: Launch, started: readonly Started[], host: Host): ProblemDraft[] {
  const { place, source, written } = sighting;
  // What a repository brings is shared with everybody who has it; a `local` file in it is kept out of that.
  const isInside = host.cwd !== host.home && source.startsWith(`${host.cwd}${sep}`);
  const isShared = place.scope === 'project' || (place.scope !== 'local' && isInside);
  const found: (ProblemDraft | undefined)[] = [
    ...launch.missing.map(missingVariable),
    ...launch.commands.map(commandNotRun),
    host.platform === 'win32' && launch.command !== undefined ? windowsShim(launch.command, launch.written) : undefined,
    outdatedGateway(started),
    isShared && hasLiteralSecret(launch.written) ? secretInFile(written.name) : undefined,
  ];
  return found.filter((problem) => problem !== undefined);
}

function hasLiteralSecret({ args = [], env = {}, headers = {}, url = '' }: LaunchFields): boolean {
  return [...args, ...Object.values(env), ...Object.values(headers), url].some(looksSecret);
}

function secretInFile(name: string): ProblemDraft {
  return {
    code: 'secret-in-file',
    severity: 'warning',
    message: `"${name}" has a secret in a file that belongs to the project`,
    hint: 'put the secret into an environment variable and refer to it; if the file was ever shared, replace the secret',
  };
}

function missingVariable(name: string): ProblemDraft {
  const file = /^file:(.*)$/s.exec(name)?.[1];
  return {
    code: 'missing-variable',
    severity: 'warning',
    message: file === undefined ? `the variable ${name} has no value` : `the file ${file} it refers to cannot be read`,
    hint:
      file === undefined
        ? `set ${name} in the environment from which Portolan is started`
        : 'create the file, or write the value in another way',
  };
}

function commandNotRun(): ProblemDraft {
  return {
    code: 'command-substitution-not-run',
    severity: 'warning',
    message: 'it has a command in the place of a value; Portolan does not run commands it finds in files',
    hint: 'put the value into an environment variable and refer to that',
  };
}

function selfServer(reason: string): ProblemDraft {
  return {
    code: 'self-server',
    severity: 'warning',
    message: `skipped: ${reason}`,
    hint: 'nothing to do: this entry connects the client to Portolan, and Portolan does not start itself',
  };
}
