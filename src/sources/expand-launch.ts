import { dirname, isAbsolute } from 'node:path';
import type { Host, LaunchFields, WrittenFields } from '../model/index.js';
import type { Place } from './client.js';
import { type Draft, defined } from './dialect.js';
import type { ExpandedField, ExpansionContext } from './expansion.js';
import type { RawEntry } from './find-entries.js';
import { referencedFile } from './referenced-file.js';

/** The launch with all references expanded, and the references without a value. */
export interface Launch extends LaunchFields {
  readonly envFile?: string;
  readonly oauth?: NonNullable<WrittenFields['oauth']>;
  /** The same fields with unexpanded references. */
  readonly written: WrittenFields;
  readonly missing: readonly string[];
  readonly inputs: readonly string[];
  readonly commands: readonly string[];
}

interface Entry {
  readonly place: Place;
  readonly source: string;
  readonly written: RawEntry;
}

/** Expands references by the rules of the place, in the fields in which its client expands them. */
export function expandLaunch(draft: Draft, { place, source, written }: Entry, host: Host): Launch {
  const { expansion } = place;
  const missing: string[] = [];
  const inputs: string[] = [];
  const commands: string[] = [];
  const context: ExpansionContext = {
    host,
    variables: { ...host.stored?.(source, written.name), ...written.variables },
    get folder() {
      // An entry from a variable has no directory; its client uses its start directory.
      return isAbsolute(source) ? dirname(source) : host.cwd;
    },
    readFile(path) {
      return referencedFile(path, this.folder, host);
    },
  };
  const expand = (field: ExpandedField, text: string): string => {
    if (!expansion.fields.has(field)) return text;
    const expanded = expansion.expand(text, context, field);
    for (const name of expanded.missing) note(missing, name);
    for (const id of expanded.inputs) note(inputs, id);
    for (const command of expanded.commands) note(commands, command);
    return expanded.text;
  };
  const optional = (field: ExpandedField, text: string | undefined) =>
    text === undefined ? undefined : expand(field, text);
  const record = (field: 'env' | 'headers'): [LaunchFields['env'], LaunchFields['env']] => {
    const given = draft[field];
    const values = given && mapValues(given, (text) => expand(field, text));
    const named = Object.entries(draft.byName?.[field] ?? {});
    if (named.length === 0) return [values, given];
    const found = named.flatMap(([key, { variable: name, prefix = '', asks }]): [string, string][] => {
      const value = expansion.lookUp(name, context);
      if (value === undefined) note(asks ? inputs : missing, name);
      return value === undefined ? [] : [[key, `${prefix}${value}`]];
    });
    const references = named.map(([key, { variable: name, prefix = '' }]) => [key, `${prefix}\${${name}}`]);
    return [
      { ...values, ...Object.fromEntries(found) },
      { ...given, ...Object.fromEntries(references) },
    ];
  };
  const [env, writtenEnv] = record('env');
  const [headers, writtenHeaders] = record('headers');
  const { command, args, cwd, url, oauth } = draft;
  const launch = {
    command: optional('command', command),
    args: args?.map((arg) => expand('args', arg)),
    env,
    cwd: optional('cwd', cwd),
    url: optional('url', url),
    headers,
    envFile: optional('envFile', draft.envFile),
    oauth: oauth && mapValues(oauth, (value) => (typeof value === 'string' ? expand('oauth', value) : value)),
    written: defined({
      command,
      args,
      env: writtenEnv,
      cwd,
      url,
      headers: writtenHeaders,
      envFile: draft.envFile,
      oauth,
    }),
  };
  return { ...defined(launch), written: launch.written, missing, inputs, commands };
}

function note(names: string[], name: string): void {
  if (!names.includes(name)) names.push(name);
}

/** The record with changed values, or the same record if no value changes. */
function mapValues<T>(record: Readonly<Record<string, T>>, change: (value: T) => T): Readonly<Record<string, T>> {
  const pairs = Object.entries(record).map(([key, value]): [string, T] => [key, change(value)]);
  return pairs.some(([key, value]) => record[key] !== value) ? Object.fromEntries(pairs) : record;
}
