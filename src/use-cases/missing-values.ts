import { shellWord } from '../base/index.js';
import type { Definition, Host } from '../model/index.js';
import { storedReferencesIn } from './stored-references.js';

/** A value that a server needs and that its entry does not give. */
export interface MissingValue {
  /** The name that `portolan set` takes: of the input, the variable or the header. */
  readonly name: string;
  readonly kind: 'input' | 'variable' | 'header';
  /** `unset`: nothing provides it; `empty`: it is set to an empty text; `refused`: the entry cannot use a stored value. */
  readonly because: 'unset' | 'empty' | 'refused';
  readonly description?: string;
  /** The command that stores the value. */
  readonly command: string;
}

/** A header with only a scheme, as `Bearer ${TOKEN}` becomes if the variable is empty. */
const SCHEME_ONLY = /^(?:bearer|basic|token)?\s*$/i;

/** The inputs and variables without a value, by the name that `portolan set` takes. */
export function missingValues(server: string, definition: Definition, host: Host): MissingValue[] {
  const { inputs = [], missing = [], env = {}, headers = {}, written } = definition;
  const command = (name: string) => `portolan set ${shellWord(server)} ${shellWord(name)}`;
  const found: MissingValue[] = [
    ...inputs.map(({ id, description }) => ({
      ...({ name: id, kind: 'input', because: 'unset', command: command(id) } as const),
      ...(description !== undefined && { description }),
    })),
    // A reference to a file names the file; only its owner can create it.
    ...missing
      .filter((name) => !name.startsWith('file:'))
      .map((name) => ({ name, kind: 'variable', because: 'unset', command: command(name) }) as const),
  ];
  const isKnown = (text: string | undefined) => found.some(({ name }) => text?.includes(name));
  const empty = (kind: 'variable' | 'header', name: string): MissingValue[] =>
    isKnown(kind === 'variable' ? written.env?.[name] : written.headers?.[name])
      ? []
      : [{ name, kind, because: 'empty', command: command(name) }];
  const variables = Object.entries(env).filter(([, value]) => value.trim() === '');
  const blank = Object.entries(headers).filter(([, value]) => SCHEME_ONLY.test(value));
  const refused = storedReferencesIn(definition, host).flatMap((one): MissingValue[] => {
    if (one.kind !== 'refused' || one.name === undefined) return [];
    const { name } = one;
    const kind = Object.hasOwn(headers, name) ? 'header' : 'variable';
    return [{ name, kind, because: 'refused', command: command(name) }];
  });
  return [
    ...found,
    ...refused,
    ...variables.flatMap(([name]) => empty('variable', name)),
    ...blank.flatMap(([name]) => empty('header', name)),
  ];
}
