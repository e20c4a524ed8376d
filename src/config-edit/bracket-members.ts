import { lineStart, type Range, type Splice } from './text-style.js';

/** A list or map in brackets: `[…]` or `{…}` of JSON, flow YAML, or inline TOML. */
export interface Bracketed {
  /** The offset after the opening bracket. */
  readonly open: number;
  /** The offset of the closing bracket. */
  readonly close: number;
  /** Each range starts at the key (or value) and ends after the value. */
  readonly members: readonly Range[];
  /** The comment markers of the format: comments are neither split nor searched for commas. */
  readonly comments: readonly ('//' | '/*' | '#')[];
}

/**
 * Adds a member at the end. If the brackets contained only white space and comments, the member goes directly before
 * the closing one, which tells `removeMember` that the brackets were not created for it.
 */
export function insertMember(text: string, list: Bracketed, member: string, between: string): Splice[] {
  const last = list.members.at(-1);
  if (!last) return [{ start: list.close, end: list.close, text: member }];
  const comma = commaAfter(text, last.end, list);
  // A comment on the line of the last member belongs to that member.
  const at = afterSameLineComment(text, comma === undefined ? last.end : comma + 1, list);
  if (comma !== undefined) return [{ start: at, end: at, text: `${between}${member},` }];
  if (at === last.end) return [{ start: at, end: at, text: `,${between}${member}` }];
  return [
    { start: last.end, end: last.end, text: ',' },
    { start: at, end: at, text: `${between}${member}` },
  ];
}

export type Removal =
  | { readonly kind: 'cut'; readonly splices: readonly Splice[] }
  /** It was the only member of brackets that were apparently created for it. */
  | { readonly kind: 'emptied' };

export function removeMember(text: string, list: Bracketed, index: number): Removal {
  const member = list.members[index];
  if (!member) return { kind: 'cut', splices: [] };
  const comma = commaAfter(text, member.end, list);
  const end = comma === undefined ? member.end : comma + 1;
  const cut = (start: number): Splice => ({ start, end, text: '' });
  if (list.members.length === 1) {
    const before = text.slice(list.open, member.start);
    const after = text.slice(end, list.close);
    if (after === '') return { kind: 'cut', splices: [cut(member.start)] };
    if (`${before}${after}`.trim() === '') return before === '' ? alone(list) : { kind: 'emptied' };
  }
  const start = member.start - (/\s*$/.exec(text.slice(0, member.start))?.[0].length ?? 0);
  const previous = list.members[index - 1];
  const commaBefore = previous && commaAfter(text, previous.end, list);
  if (comma !== undefined || commaBefore === undefined) return { kind: 'cut', splices: [cut(keepLineComment(start))] };
  return {
    kind: 'cut',
    splices: [{ start: commaBefore, end: commaBefore + 1, text: '' }, cut(Math.max(start, commaBefore + 1))],
  };

  /** The text after a line comment must stay on another line. */
  function keepLineComment(from: number): number {
    const line = text.slice(lineStart(text, from), from);
    const inComment = list.comments.some((mark) => mark !== '/*' && line.includes(mark));
    const breakAfter = /^\r?\n/.exec(text.slice(from))?.[0].length ?? 0;
    const rest = /^[ \t]*(?:\r?\n|$)/.test(text.slice(end));
    return inComment && !rest ? from + breakAfter : from;
  }
}

function alone({ open, close }: Bracketed): Removal {
  return { kind: 'cut', splices: [{ start: open, end: close, text: '' }] };
}

/** The comma after a member, skipping white space and comments. */
function commaAfter(text: string, from: number, list: Bracketed): number | undefined {
  let at = from;
  while (at < list.close) {
    const [space = ''] = /^\s+/.exec(text.slice(at, list.close)) ?? [];
    at += space.length;
    const end = commentEnd(text, at, list);
    if (end === undefined) break;
    at = end;
  }
  return text[at] === ',' && at < list.close ? at : undefined;
}

function afterSameLineComment(text: string, from: number, list: Bracketed): number {
  const [space = ''] = /^[ \t]+/.exec(text.slice(from, list.close)) ?? [];
  const end = commentEnd(text, from + space.length, list);
  if (end === undefined || text.slice(from, end).includes('\n')) return from;
  // A comment that continues on the same line belongs to the text after it.
  return /^[ \t]*\r?\n/.test(text.slice(end)) ? end : from;
}

function commentEnd(text: string, at: number, { comments, close }: Bracketed): number | undefined {
  const mark = comments.find((one) => text.startsWith(one, at));
  if (mark === undefined) return undefined;
  if (mark === '/*') return text.indexOf('*/', at + 2) + 2;
  const end = text.slice(at, close).search(/\r?\n/);
  return end < 0 ? close : at + end;
}
