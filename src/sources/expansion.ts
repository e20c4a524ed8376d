import { basename } from 'node:path';
import { type Host, variable } from '../model/index.js';

/** The meaning of one reference. */
type Meaning =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'missing'; readonly name: string }
  | { readonly kind: 'input'; readonly id: string }
  /** A command instead of a value. It is never run, because reading a file must not execute anything. */
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'literal' };

/** The sources of values for references. */
export interface ExpansionContext {
  readonly host: Host;
  /** The directory of the file that contains the reference. */
  readonly folder: string;
  /** Variables that the file or the entry adds to the environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Reads a small text file, for references to files. */
  readFile(path: string): string | undefined;
}

/** One syntax of a reference: a pattern with exactly one group, and the meaning of the group. */
export interface Rule {
  readonly pattern: string;
  readonly meaning: (inside: string, context: ExpansionContext) => Meaning;
}

export type ExpandedField = 'command' | 'args' | 'env' | 'cwd' | 'url' | 'headers' | 'envFile' | 'oauth';

/**
 * A client's rules: the references it knows, the fields in which it expands them, and the value of an unset variable.
 */
export interface Expansion {
  readonly fields: ReadonlySet<ExpandedField>;
  readonly unset: 'keep' | 'empty' | 'fail';
  readonly expand: (text: string, context: ExpansionContext, field: ExpandedField) => Expanded;
  /** The value of a variable that an entry gives by its plain name. */
  readonly lookUp: (name: string, context: ExpansionContext) => string | undefined;
}

interface Expanded {
  readonly text: string;
  readonly missing: readonly string[];
  readonly inputs: readonly string[];
  readonly commands: readonly string[];
}

const USUAL: readonly ExpandedField[] = ['command', 'args', 'env', 'url', 'headers'];
/** For clients that expand all fields of an entry. */
export const WHOLE_ENTRY: readonly ExpandedField[] = [...USUAL, 'cwd', 'oauth'];
/** For clients that also expand the OAuth fields of an entry. */
export const WITH_SIGN_IN: readonly ExpandedField[] = [...USUAL, 'oauth'];

export function expansion(
  rules: readonly Rule[],
  options: { fields?: readonly ExpandedField[]; unset?: Expansion['unset'] } = {},
): Expansion {
  const unset = options.unset ?? 'keep';
  const pattern = rules.length === 0 ? undefined : new RegExp(rules.map((rule) => rule.pattern).join('|'), 'g');
  return {
    fields: new Set(options.fields ?? USUAL),
    unset,
    lookUp,
    expand(text, context) {
      if (!pattern || !MAY_REFER.test(text)) return { text, missing: NONE, inputs: NONE, commands: NONE };
      const missing: string[] = [];
      const inputs: string[] = [];
      const commands: string[] = [];
      // Expanded values are not expanded again.
      const expanded = text.replaceAll(pattern, (whole: string, ...groups: unknown[]) => {
        const which = rules.findIndex((_, n) => typeof groups[n] === 'string');
        const meaning = rules[which]?.meaning(String(groups[which]), context) ?? { kind: 'literal' };
        if (meaning.kind === 'value') return meaning.value;
        if (meaning.kind === 'missing') missing.push(meaning.name);
        if (meaning.kind === 'input') inputs.push(meaning.id);
        if (meaning.kind === 'command') commands.push(meaning.text);
        return meaning.kind === 'missing' && unset === 'empty' ? '' : whole;
      });
      return { text: expanded, missing, inputs, commands };
    },
  };
}

const NONE: readonly string[] = [];
/** Every reference contains one of these characters; most values contain none. */
const MAY_REFER = /[${%]/;

/** No references: values are literal. */
export const none = expansion([]);

function value(text: string | undefined, name: string): Meaning {
  return text === undefined ? { kind: 'missing', name } : { kind: 'value', value: text };
}

function lookUp(name: string, { host, variables }: ExpansionContext): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : variable(host, name);
}

/** `${VAR}` and `${VAR:-default}`; a variable that is set but empty counts as set. */
export const braced: Rule = {
  pattern: String.raw`\$\{([^{}]+)\}`,
  meaning(inside, context) {
    const [name = '', fallback] = inside.split(/:-(.*)/s);
    return value(lookUp(name, context) ?? fallback, name);
  },
};

/** `$VAR` */
export const bare: Rule = {
  pattern: String.raw`\$([A-Za-z_][A-Za-z0-9_]*)`,
  meaning: (name, context) => value(lookUp(name, context), name),
};

/** `${env:VAR}` */
export const envColon: Rule = {
  pattern: String.raw`\$\{env:([^{}]+)\}`,
  meaning: (name, context) => value(lookUp(name, context), name),
};

/** `$env:VAR` */
export const dollarEnv: Rule = {
  pattern: String.raw`\$env:([A-Za-z_][A-Za-z0-9_]*)`,
  meaning: (name, context) => value(lookUp(name, context), name),
};

/** `{env:VAR}` */
export const plainEnv: Rule = {
  pattern: String.raw`\{env:([^{}]+)\}`,
  meaning: (name, context) => value(lookUp(name.trim(), context), name.trim()),
};

/** `{file:path}` */
export const plainFile: Rule = {
  pattern: String.raw`\{file:([^{}]+)\}`,
  meaning: (path, context) => value(context.readFile(path.trim()), `file:${path.trim()}`),
};

/** `${file:path}` */
export const dollarFile: Rule = {
  pattern: String.raw`\$\{file:([^{}]+)\}`,
  meaning: (path, context) => value(context.readFile(path.trim()), `file:${path.trim()}`),
};

/** `%VAR%`, on Windows only */
export const percent: Rule = {
  pattern: '%([A-Za-z_][A-Za-z0-9_()]*)%',
  meaning: (name, context) =>
    context.host.platform === 'win32' ? value(lookUp(name, context), name) : { kind: 'literal' },
};

/** `${workspaceFolder}` and the other directory names of an editor. */
export const editorFolders: Rule = {
  pattern: String.raw`\$\{(workspaceFolder|workspaceRoot|workspacePath|workspaceFolderBasename|userHome|cwd|pathSeparator|\/)\}`,
  meaning(name, { host }) {
    const separator = host.platform === 'win32' ? '\\' : '/';
    const values: Readonly<Record<string, string>> = {
      workspaceFolder: host.cwd,
      workspaceRoot: host.cwd,
      workspacePath: host.cwd,
      workspaceFolderBasename: basename(host.cwd),
      userHome: host.home,
      cwd: host.cwd,
      pathSeparator: separator,
      '/': separator,
    };
    return { kind: 'value', value: values[name] ?? '' };
  },
};

/** Only `${workspaceFolder}`. */
export const workspaceFolder: Rule = {
  pattern: String.raw`\$\{(workspaceFolder)\}`,
  meaning: (_, { host }) => ({ kind: 'value', value: host.cwd }),
};

/** `${input:id}` */
export const input: Rule = {
  pattern: String.raw`\$\{input:([^{}]+)\}`,
  meaning: (id, { variables }) => {
    const known = variables[`input:${id}`];
    return known === undefined ? { kind: 'input', id } : { kind: 'value', value: known };
  },
};

/** `${command:id}`: an editor command, which is not run. */
export const editorCommand: Rule = {
  pattern: String.raw`\$\{(command:[^{}]+)\}`,
  meaning: (text) => ({ kind: 'command', text }),
};

/** `$(command)`; if nested, the inner one. The limit and the exclusion of a second `$(` keep the match linear. */
export const substitution: Rule = {
  pattern: String.raw`\$\(((?:[^)$]|\$(?!\()){0,4096})\)`,
  meaning: (text) => ({ kind: 'command', text }),
};

/** `{{NAME}}`: a placeholder that the user fills in in the client's window. */
export const template: Rule = {
  pattern: String.raw`\{\{([^{}]+)\}\}`,
  meaning: (name) => ({ kind: 'input', id: name.trim() }),
};
