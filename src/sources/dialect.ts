import type { Definition, State, Transport } from '../model/index.js';
import {
  type Fields,
  field,
  InvalidEntry,
  isFields,
  names,
  optionalNumber,
  optionalRecord,
  optionalString,
  optionalStrings,
  wrongType,
} from './fields.js';
import type { ProblemDraft } from './problem-draft.js';

/** An entry in the common format of all dialects, with unexpanded strings. */
export interface Draft
  extends Partial<
    Pick<
      Definition,
      | 'command'
      | 'args'
      | 'env'
      | 'cwd'
      | 'url'
      | 'headers'
      | 'timeoutMs'
      | 'startupTimeoutMs'
      | 'tools'
      | 'envFile'
      | 'description'
      | 'era'
      | 'headersHelper'
      | 'oauth'
      | 'authToken'
      | 'ide'
      | 'id'
      | 'standsFor'
    >
  > {
  readonly transport: Transport;
  readonly enabled: boolean;
  readonly problems: readonly ProblemDraft[];
  /** The state that the entry itself implies, apart from being enabled or disabled. */
  readonly state?: Extract<State, 'client-ignores' | 'inventory-only' | 'needs-input'>;
  /** Values that are given by the name of an environment variable. */
  readonly byName?: {
    readonly env?: Readonly<Record<string, Named>>;
    readonly headers?: Readonly<Record<string, Named>>;
  };
}

export interface Named {
  readonly variable: string;
  readonly prefix?: string;
  /** Without a value the client asks the user, or takes it from a store that Portolan cannot read. */
  readonly asks?: boolean;
}

/** Parses one entry. Undefined if it is not a server. Throws `InvalidEntry` if it is malformed. */
export type Dialect = (entry: Fields) => Draft | undefined;

/** The points in which most dialects differ. */
export interface DialectSpec {
  /** Keys of the URL, in order of precedence. */
  readonly urls?: readonly string[];
  /** The key of the transport type. */
  readonly typeKey?: string;
  readonly types?: Readonly<Record<string, Transport | 'remote'>>;
  /** The transport of a URL without a type. */
  readonly urlAlone: Transport | ((url: string) => Transport);
  /** If an entry has both, the client uses the URL instead of the command. */
  readonly urlWins?: boolean;
  /** `false`: the client supports only local programs. */
  readonly remote?: false;
  readonly env?: string;
  readonly cwd?: string;
  readonly off?: (entry: Fields) => boolean;
  readonly timeouts?: (entry: Fields) => Pick<Draft, 'timeoutMs' | 'startupTimeoutMs'>;
  readonly allow?: string;
  readonly deny?: string;
  /** Adds fields that only this dialect has. */
  readonly extend?: (draft: Draft, entry: Fields) => Draft;
}

export const isDisabled = (entry: Fields): boolean => field(entry, 'disabled') === true;
export const isNotEnabled = (entry: Fields): boolean => field(entry, 'enabled') === false;

/** Builds a dialect from its specification. */
export function dialect(spec: DialectSpec): Dialect {
  return (entry) => {
    const draft = plainDraft(spec, entry);
    return spec.extend ? spec.extend(draft, entry) : draft;
  };
}

function plainDraft(spec: DialectSpec, entry: Fields): Draft {
  const command = optionalString(entry, 'command');
  const url = firstText(entry, spec.urls ?? ['url']);
  const type = optionalString(entry, spec.typeKey ?? 'type');
  const { transport, problems } = transportOf(spec, { command, url, type });
  const local = transport === 'stdio';
  const tools = toolsOf(spec, entry);
  const description = field(entry, 'description');
  const era = field(entry, 'era');
  return {
    transport,
    enabled: !(spec.off?.(entry) ?? false),
    problems,
    ...defined({
      state: spec.remote === false && !local ? ('client-ignores' as const) : undefined,
      command: local ? command : undefined,
      args: local ? (optionalStrings(entry, 'args') ?? []) : undefined,
      env: optionalRecord(entry, spec.env ?? 'env'),
      cwd: local ? optionalString(entry, spec.cwd ?? 'cwd') : undefined,
      envFile: local ? optionalString(entry, 'envFile') : undefined,
      url: local ? undefined : url,
      headers: local ? undefined : optionalRecord(entry, 'headers'),
      ...(spec.timeouts && positive(spec.timeouts(entry))),
      tools,
      description: typeof description === 'string' && description !== '' ? description : undefined,
      era: era === 'legacy' || era === 'modern' ? era : undefined,
      oauth: oauthOf(field(entry, 'oauth')),
    }),
  };
}

function firstText(entry: Fields, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = optionalString(entry, key);
    if (text) return text;
  }
  return undefined;
}

function toolsOf(spec: DialectSpec, entry: Fields): Draft['tools'] | undefined {
  const allow = spec.allow === undefined ? [] : names(field(entry, spec.allow));
  const deny = spec.deny === undefined ? [] : names(field(entry, spec.deny));
  if (allow.length + deny.length === 0) return undefined;
  return { ...(allow.length > 0 && { allow }), ...(deny.length > 0 && { deny }) };
}

interface Shape {
  readonly command: string | undefined;
  readonly url: string | undefined;
  readonly type: string | undefined;
}

function transportOf(spec: DialectSpec, shape: Shape): { transport: Transport; problems: ProblemDraft[] } {
  const transport = namedTransport(spec, shape) ?? impliedTransport(spec, shape);
  if (transport === 'stdio' && !shape.command) {
    throw new InvalidEntry('it has no "command"', 'name the program to start under "command"');
  }
  if (transport !== 'stdio' && transport !== 'sdk' && !shape.url) {
    throw new InvalidEntry('it has no "url"', `a server of type ${transport} needs a "url"`);
  }
  const problems: ProblemDraft[] = [];
  if (shape.command && shape.url && shape.type === undefined) problems.push(ambiguous(transport));
  if (spec.remote === false && transport !== 'stdio') problems.push(unsupportedTransport(transport));
  return { transport, problems };
}

function namedTransport(spec: DialectSpec, { type, url, command }: Shape): Transport | undefined {
  if (type === undefined) return undefined;
  const types = spec.types ?? COMMON_TYPES;
  const known = Object.hasOwn(types, type)
    ? types[type]
    : Object.hasOwn(COMMON_TYPES, type)
      ? COMMON_TYPES[type]
      : undefined;
  // A dialect without a type key ignores this field.
  if (known === undefined && spec.types === undefined) return undefined;
  if (known === undefined) {
    const choices = Object.keys(spec.types ?? COMMON_TYPES).join(', ');
    throw new InvalidEntry(`its ${spec.typeKey ?? 'type'} "${printable(type)}" is unknown`, `use one of: ${choices}`);
  }
  return known === 'remote'
    ? impliedTransport(spec, { url, type: undefined, command: url ? undefined : command })
    : known;
}

function impliedTransport(spec: DialectSpec, { command, url }: Shape): Transport {
  if (command && !(spec.urlWins && url)) return 'stdio';
  if (!url) throw new InvalidEntry('it has neither a "command" nor a "url"', 'add the one that starts or reaches it');
  if (/^wss?:/i.test(url)) return 'ws';
  return typeof spec.urlAlone === 'function' ? spec.urlAlone(url) : spec.urlAlone;
}

/** Spellings of a transport that are unambiguous in every dialect. */
const COMMON_TYPES: Readonly<Record<string, Transport>> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  streamable_http: 'http',
  sse: 'sse',
};

export function unsupportedTransport(transport: Transport): ProblemDraft {
  return {
    code: 'unsupported-transport-for-client',
    severity: 'warning',
    message: `this client does not support ${transport} and ignores this server`,
    hint: 'move the entry to a client that supports it, or wrap it in a local command',
  };
}

function ambiguous(transport: Transport): ProblemDraft {
  return {
    code: 'ambiguous-entry',
    severity: 'warning',
    message: `it has both a command and a URL; the ${transport === 'stdio' ? 'command' : 'URL'} is used`,
    hint: 'remove the other one',
  };
}

/** Converts a timeout in the client's unit to milliseconds. */
export function milliseconds(entry: Fields, key: string, unit: 'ms' | 's'): number | undefined {
  const amount = optionalNumber(entry, key);
  return amount === undefined || amount <= 0 ? undefined : Math.round(unit === 's' ? amount * 1000 : amount);
}

/** A `timeout` field in one unit, as in most dialects. */
export function timeoutIn(
  unit: 'ms' | 's',
  key = 'timeout',
  startupKey?: string,
): NonNullable<DialectSpec['timeouts']> {
  return (entry) =>
    defined({
      timeoutMs: milliseconds(entry, key, unit),
      startupTimeoutMs: startupKey === undefined ? undefined : milliseconds(entry, startupKey, unit),
    });
}

/** The plain fields of an `oauth` map; nested ones are ignored. */
export function oauthOf(value: unknown): NonNullable<Definition['oauth']> | undefined {
  if (!isFields(value)) return undefined;
  const plain = Object.entries(value).flatMap(([key, item]): [string, string | number | boolean | string[]][] => {
    if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean') return [[key, item]];
    return Array.isArray(item) ? [[key, names(item)]] : [];
  });
  return plain.length === 0 ? undefined : Object.fromEntries(plain);
}

/** Drops undefined fields, as `exactOptionalPropertyTypes` requires. */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) kept[key] = value as Exclude<T[typeof key], undefined>;
  }
  return kept;
}

function positive(
  timeouts: Pick<Draft, 'timeoutMs' | 'startupTimeoutMs'>,
): Pick<Draft, 'timeoutMs' | 'startupTimeoutMs'> {
  return Object.fromEntries(Object.entries(timeouts).filter(([, amount]) => amount !== undefined && amount > 0));
}

/** A command given as a list of words. */
export function commandList(entry: Fields, key: string): { command: string; args: string[] } {
  const words = optionalStrings(entry, key);
  const [command, ...args] = words ?? [];
  if (!command)
    throw new InvalidEntry(
      `"${key}" does not name a program`,
      `write the program and its arguments as a list under "${key}"`,
    );
  return { command, args };
}

/** A list of `KEY=VALUE` strings. */
export function envList(entry: Fields, key: string): Record<string, string> | undefined {
  if (isFields(field(entry, key))) return optionalRecord(entry, key);
  const pairs = optionalStrings(entry, key)?.map((pair) => {
    const equals = pair.indexOf('=');
    if (equals <= 0) throw wrongType(key, 'a list of KEY=VALUE strings', pair);
    return [pair.slice(0, equals), pair.slice(equals + 1)];
  });
  return pairs && Object.fromEntries(pairs);
}

/** Text from a file for use in a message: without line breaks and control characters, and limited in length. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?').slice(0, 40);
}
