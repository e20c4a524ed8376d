// Our own edit: `toml-patch` does not restore every byte when an entry is added and removed again.
import { parse, TomlError } from 'smol-toml';
import { type Bracketed, insertMember, removeMember } from './bracket-members.js';
import { brokenAt, type EntryPath, isMap, nameOf, type Plain, refusal, valueAt } from './edit-entry.js';
import { lineStart, type Range, spliced, styleOf } from './text-style.js';
import { inlineKey, inlineMembers, type Statement, statements } from './toml-scan.js';

export function readToml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [why = 'syntax error'] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw brokenAt(error.line, 'TOML', why);
  }
}

/** Adds the entry as a table at the end, or inline if the other entries are inline. */
export function setToml(text: string | undefined, at: EntryPath, value: Plain): string {
  const current = text ?? '';
  const root = readToml(current);
  if (!isMap(value)) return setTomlField(current, at, value);
  const known = valueAt(root, at) !== undefined;
  const inline = inlineContainer(current, at);
  if (inline && known) return replaced(current, inline, at, root, value);
  const rest = known ? (removeToml(current, at) ?? '') : current;
  if (inline) return inserted(rest, at, value);
  const { eol } = styleOf(current);
  const table = tableOf(at, value).join(eol);
  if (text === undefined) return `${table}${eol}`;
  if (rest === '') return table;
  // Adds a blank line before the table and ends as the text ended, so that a removal restores the original.
  return rest.endsWith('\n') ? `${rest}${eol}${table}${eol}` : `${rest}${eol}${eol}${table}`;
}

/** Sets a value inside an existing table: `key = value` after its other pairs, or in its brackets. */
function setTomlField(text: string, at: EntryPath, value: Plain): string {
  const root = readToml(text);
  const parent = at.path.slice(0, -1);
  if (!isMap(valueAt(root, { path: parent }))) throw refusal(`"${parent.join('.')}" is not a table`);
  const container = inlineContainer(text, at);
  if (container)
    return valueAt(root, at) === undefined ? inserted(text, at, value) : replaced(text, container, at, root, value);
  const all = statements(text);
  const known = pairAt(all, at.path);
  if (known) return spliced(text, [{ ...known.value, text: written(value) }]);
  const { eol } = styleOf(text);
  const header = all.findIndex(({ kind, path }) => kind === 'table' && isEqual(path, parent));
  const direct = all.filter((one, n) => one.kind === 'pair' && isEqual(one.path.slice(0, -1), parent) && n > header);
  const last = direct.at(-1) ?? all[header];
  if (!last) throw refusal(`"${parent.join('.')}" is defined in several parts`);
  const table = all.slice(0, all.indexOf(last) + 1).findLast(({ kind }) => kind !== 'pair');
  const inside = at.path.slice(table?.path.length ?? 0);
  const line = `${inside.map(keyText).join('.')} = ${written(value)}`;
  return spliced(text, [{ start: last.line.end, end: last.line.end, text: `${eol}${line}` }]);
}

/** Removes a whole line `key = value`, and nothing around it. */
function removeTomlPair(text: string, { line }: Statement): string {
  const after = /^\r?\n/.exec(text.slice(line.end))?.[0];
  if (after !== undefined) return spliced(text, [{ start: line.start, end: line.end + after.length, text: '' }]);
  return text.slice(0, line.start).replace(/\r?\n$/, '') + text.slice(line.end);
}

function pairAt(all: readonly Statement[], path: readonly string[]) {
  return all.find((one): one is Extract<Statement, { kind: 'pair' }> => one.kind === 'pair' && isEqual(one.path, path));
}

/** Removes the entry. Returns undefined if the file was created for it. */
export function removeToml(text: string, at: EntryPath): string | undefined {
  const root = readToml(text);
  const known = valueAt(root, at);
  if (known === undefined) return text;
  const pair = isMap(known) ? undefined : pairAt(statements(text), at.path);
  if (pair) return removeTomlPair(text, pair);
  const inline = inlineContainer(text, at);
  if (inline) {
    const removal = removeMember(text, inline, memberIndex(text, inline, at, root));
    return spliced(
      text,
      removal.kind === 'cut' ? removal.splices : [{ start: inline.open, end: inline.close, text: '' }],
    );
  }
  const left = cut(text, at.list ? listBlocks(text, at, root) : mapBlocks(text, at.path));
  return left === '' && text.endsWith('\n') ? undefined : left;
}

/** Removes whole lines, last block first, each with the blank line that was added before it. */
function cut(text: string, blocks: readonly Range[]): string {
  return blocks.toReversed().reduce((current, { start, end }) => {
    const before = current.slice(0, start);
    const lineBreak = /^\r?\n/.exec(current.slice(end))?.[0];
    // A text without a final line break got one before the block, and a blank line.
    if (lineBreak === undefined) return before.replace(/(?:\r?\n){1,2}$/, '');
    return before.replace(/(?<=^|\n)\r?\n$/, '') + current.slice(end + lineBreak.length);
  }, text);
}

/** The tables at or below the path with their content, and pairs with dotted keys. */
function mapBlocks(text: string, path: readonly string[]): Range[] {
  const blocks: { start: number; end: number }[] = [];
  let inside = false;
  for (const statement of statements(text)) {
    if (statement.kind !== 'pair') inside = isWithin(statement.path, path);
    if (!inside && !(statement.kind === 'pair' && isWithin(statement.path, path))) continue;
    const open = blocks.at(-1);
    if (inside && statement.kind === 'pair' && open) open.end = statement.line.end;
    else blocks.push({ ...statement.line });
  }
  return blocks;
}

/** The nth `[[list]]` and the tables below it. */
function listBlocks(text: string, { path }: EntryPath, root: unknown): Range[] {
  const list = path.slice(0, -1);
  const wanted = positionOf(root, path);
  const blocks: { start: number; end: number }[] = [];
  let [count, inside] = [-1, false];
  for (const statement of statements(text)) {
    if (statement.kind !== 'pair') {
      if (statement.kind === 'array' && isEqual(statement.path, list)) count += 1;
      inside = count === wanted && isWithin(statement.path, list);
    }
    if (!inside) continue;
    const open = blocks.at(-1);
    if (statement.kind === 'pair' && open) open.end = statement.line.end;
    else blocks.push({ ...statement.line });
  }
  return blocks;
}

function positionOf(root: unknown, path: readonly string[]): number {
  const items = valueAt(root, { path: path.slice(0, -1) });
  return Array.isArray(items) ? items.findIndex((item: unknown) => nameOf(item) === path.at(-1)) : -1;
}

/** The inline table or list that contains, or would contain, the entry: `servers = { … }`. */
function inlineContainer(text: string, { path, list }: EntryPath): Bracketed | undefined {
  const parent = path.slice(0, -1);
  const isContainer = (one: Statement): one is Extract<Statement, { kind: 'pair' }> =>
    one.kind === 'pair' && isEqual(one.path, parent) && text[one.value.start] === (list ? '[' : '{');
  const container = statements(text).find(isContainer);
  if (!container) return undefined;
  const { start, end } = container.value;
  return { open: start + 1, close: end - 1, members: inlineMembers(text, container.value), comments: ['#'] };
}

function memberIndex(text: string, container: Bracketed, { path, list }: EntryPath, root: unknown): number {
  if (list) return positionOf(root, path);
  return container.members.findIndex((member) => isEqual(inlineKey(text, member), path.slice(-1)));
}

function replaced(text: string, container: Bracketed, at: EntryPath, root: unknown, value: Plain): string {
  const member = container.members[memberIndex(text, container, at, root)];
  if (!member) throw refusal(`"${at.path.at(-1)}" is defined in several parts`);
  return spliced(text, [{ ...member, text: memberText(at, value) }]);
}

function inserted(text: string, at: EntryPath, value: Plain): string {
  const container = inlineContainer(text, at);
  if (!container) throw refusal('the list that contains it was not found');
  const first = container.members[0];
  const tall = first && text.slice(container.open, first.start).includes('\n');
  const between = tall ? `${styleOf(text).eol}${text.slice(lineStart(text, first.start), first.start)}` : ' ';
  return spliced(text, insertMember(text, container, memberText(at, value), between));
}

function memberText({ path, list }: EntryPath, value: Plain): string {
  return list ? written(value) : `${keyText(path.at(-1) ?? '')} = ${written(value)}`;
}

function tableOf({ path, list }: EntryPath, value: Readonly<Record<string, unknown>>): string[] {
  const header = (list ? path.slice(0, -1) : path).map(keyText).join('.');
  const pairs = Object.entries(value).map(([key, inner]) => `${keyText(key)} = ${written(inner)}`);
  return [list ? `[[${header}]]` : `[${header}]`, ...pairs];
}

function keyText(key: string): string {
  return /^[\w-]+$/.test(key) ? key : stringText(key);
}

/** JSON strings are valid TOML strings, except for one control character. */
function stringText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

function written(value: unknown): string {
  if (typeof value === 'string') return stringText(value);
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (!isMap(value)) return String(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${keyText(key)} = ${written(inner)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

function isWithin(path: readonly string[], outer: readonly string[]): boolean {
  return isEqual(path.slice(0, outer.length), outer);
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, n) => key === b[n]);
}
