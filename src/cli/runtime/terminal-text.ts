import { visible } from '../../base/index.js';
import type { Io } from './command.js';

export { visible };

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof STYLES;

export function paint(io: Pick<Io, 'colour'>, style: Style, text: string): string {
  return io.colour ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
}

/** The width of a pipe or file, for which no terminal gives one. */
const DEFAULT_COLUMNS = 80;
/** Below this, text would break at almost every word; such a terminal wraps the lines itself. */
const MIN_COLUMNS = 30;

/** How many characters fit in one line of the output. */
export function columnsOf({ columns = DEFAULT_COLUMNS }: Pick<Io, 'columns'>): number {
  return Math.max(MIN_COLUMNS, columns);
}

/** Breaks a text between words so that no line is wider than `columns`; a longer word keeps its own line. */
export function wrap(text: string, columns: number): string[] {
  return fill(text.split(' '), columns, columns);
}

/** `usage: …`, broken between arguments: a group in brackets stays in one line if it fits. */
export function wrapUsage(usage: string, columns: number): string[] {
  const forms = usage.split('\n').map((line) => line.trim());
  return forms.flatMap((form, place) => {
    const lines = fill(argumentsIn(form), columns - USAGE.length, columns - USAGE.length - CONTINUED.length);
    return lines.map((line, row) => {
      const head = place === 0 && row === 0 ? USAGE : ' '.repeat(USAGE.length);
      return `${head}${row === 0 ? '' : CONTINUED}${line}`;
    });
  });
}
const USAGE = 'usage: ';
const CONTINUED = '  ';

/** Splits at the spaces that are outside of brackets. */
function argumentsIn(usage: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  for (const word of usage.split(' ')) {
    const last = parts.length - 1;
    if (depth > 0) parts[last] = `${parts[last]} ${word}`;
    else parts.push(word);
    depth += word.split('[').length - word.split(']').length;
  }
  return parts;
}

function fill(words: readonly string[], first: number, others: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && width(longer) > (lines.length === 0 ? first : others)) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

interface Definition {
  readonly term: string;
  readonly text: string;
}

interface ListStyle {
  readonly term?: Style;
  readonly text?: Style;
  /** The column of the terms if several lists are to line up. */
  readonly termWidth?: number;
}

/** Terms on the left, their texts on the right, wrapped in their column. A term that is too wide has its own line. */
export function definitionList(
  rows: readonly Definition[],
  io: Pick<Io, 'colour' | 'columns'>,
  { term: termStyle, text: textStyle, termWidth }: ListStyle = {},
): string[] {
  const columns = columnsOf(io);
  const widest = termWidth ?? Math.max(0, ...rows.map(({ term }) => width(term)));
  const left = Math.min(widest, Math.floor(columns / 2) - INDENT - GAP);
  const styled = (style: Style | undefined, text: string) => (style && text !== '' ? paint(io, style, text) : text);
  return rows.flatMap(({ term, text }) => {
    const lines = wrap(text, columns - INDENT - left - GAP);
    const isWide = width(term) > left;
    const head = isWide ? [`  ${styled(termStyle, term)}`] : [];
    return [
      ...head,
      ...lines.map((line, row) => {
        const label = row === 0 && !isWide ? term : '';
        const padding = ' '.repeat(left - width(label) + GAP);
        return `  ${styled(termStyle, label)}${padding}${styled(textStyle, line)}`.trimEnd();
      }),
    ];
  });
}
const INDENT = 2;
const GAP = 2;

/** A path with the home directory written as `~`. */
export function shortPath(path: string, home: string): string {
  const inHome = path === home || path.startsWith(`${home}/`) || path.startsWith(`${home}\\`);
  return visible(inHome && home !== '/' ? `~${path.slice(home.length)}` : path);
}

export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

/** Rows of cells in aligned columns; the last column is not padded. */
export function table(rows: readonly (readonly Cell[])[], io: Pick<Io, 'colour'>): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, width(row[column]?.text ?? '')), 0),
  );
  return rows.map((row) =>
    row
      .map(({ text, style }, column) => {
        const padded =
          column === row.length - 1 ? text : text + ' '.repeat(Math.max(0, (widths[column] ?? 0) - width(text)));
        return style ? paint(io, style, padded) : padded;
      })
      .join('  ')
      .trimEnd(),
  );
}

/** East Asian characters and most emoji take two columns. */
function width(text: string): number {
  return [...text].reduce(
    (sum, character) =>
      sum +
      (/[\u{1100}-\u{115f}\u{2e80}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(
        character,
      )
        ? 2
        : 1),
    0,
  );
}

/** The client and the scope of a definition. A running server has no client, and both have the same text. */
export function placeText({ client, scope }: { readonly client: string; readonly scope: string }): string {
  return client === scope ? client : `${client} ${scope}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
