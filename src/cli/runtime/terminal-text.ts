import { visible } from '../../base/index.js';
import type { Io } from './command.js';

export { visible };

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof STYLES;

export function paint(io: Pick<Io, 'colour'>, style: Style, text: string): string {
  return io.colour ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
}

/** A path as its owner would write it. */
export function shortPath(path: string, home: string): string {
  const inHome = path === home || path.startsWith(`${home}/`) || path.startsWith(`${home}\\`);
  return visible(inHome && home !== '/' ? `~${path.slice(home.length)}` : path);
}

export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

/** Lines of columns as wide as their widest cell; the last one is left as it is. */
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

/** Characters of East Asian scripts and most pictures take two columns. */
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

/** Whose it is and for whom; a server that announced itself is of no client, and both words would be the same. */
export function placeText({ client, scope }: { readonly client: string; readonly scope: string }): string {
  return client === scope ? client : `${client} ${scope}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
