/** The layout of a text, so that added lines look like existing ones. */
export interface TextStyle {
  readonly eol: '\n' | '\r\n';
  /** One level of indentation. */
  readonly unit: string;
}

const USUAL_UNIT = '  ';

export function styleOf(text: string): TextStyle {
  const eol = /\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n';
  // Lines of a block comment may start with one space and a star, which is not an indentation level.
  const [unit = USUAL_UNIT] = /(?<=^|\n)(?:\t+| {2,8})(?=[^\s*#])/.exec(text) ?? [];
  return { eol, unit: unit.startsWith('\t') ? '\t' : unit };
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** The end of the line, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end < 0) return text.length;
  return end > offset && text[end - 1] === '\r' ? end - 1 : end;
}

export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
}

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Splice extends Range {
  readonly text: string;
}

/** Replaces parts of the text, which must not overlap. */
export function spliced(text: string, splices: readonly Splice[]): string {
  const ordered = splices.toSorted((a, b) => b.start - a.start);
  return ordered.reduce(
    (current, { start, end, text: part }) => current.slice(0, start) + part + current.slice(end),
    text,
  );
}
