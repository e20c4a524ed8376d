// Our own edit: `modify` of `jsonc-parser` does not restore every byte when an entry is added and removed again.
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type Bracketed, insertMember, removeMember } from './bracket-members.js';
import { brokenAt, type Plain, refusal } from './edit-entry.js';
import { indentAt, lineOf, type Splice, spliced, styleOf, type TextStyle } from './text-style.js';

/** Parses JSON with comments and trailing commas into a tree with offsets; undefined for an empty text. */
function parse(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (!first) return root;
  const why = printParseErrorCode(first.error)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  throw brokenAt(lineOf(text, first.offset), 'JSON', why);
}

export function readJsonEntry(text: string): unknown {
  const root = parse(text);
  return root && plainValue(root);
}

/** Unlike `getNodeValue`, treats `__proto__` as an ordinary key. */
function plainValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plainValue);
  if (node.type !== 'object') return node.value;
  return Object.fromEntries(
    (node.children ?? []).map((property) => [keyOf(property), plainValue(valueNode(property))]),
  );
}

/** Sets the value at the path. Without a text, creates one that contains only this value. */
export function setJson(text: string | undefined, path: readonly string[], value: Plain): string {
  const style = styleOf(text ?? '');
  const root = parse(text ?? '');
  if (!root) {
    const made = pretty(nested(path, value), style, '');
    if (text === undefined) return `${made}${style.eol}`;
    return `${text}${text.trim() === '' || text.endsWith('\n') ? '' : style.eol}${made}`;
  }
  const current = text ?? '';
  const { nodes, missing } = walk(root, path);
  const node = nodes.at(-1) ?? root;
  if (missing.length === 0) {
    const parent = nodes.at(-2) ?? root;
    const made = isTall(current, parent)
      ? pretty(value, style, indentAt(current, node.offset))
      : inline(value, current);
    return spliced(current, [{ start: node.offset, end: node.offset + node.length, text: made }]);
  }
  return spliced(current, insertion(current, node, missing, value, style));
}

function insertion(text: string, map: Node, missing: readonly string[], value: Plain, style: TextStyle): Splice[] {
  const list = bracketed(map);
  const [first] = list.members;
  if (first && isTall(text, map)) {
    const [key = '', ...below] = missing;
    const indent = indentAt(text, first.start);
    const member = `${JSON.stringify(key)}: ${pretty(nested(below, value), style, indent)}`;
    return insertMember(text, list, member, `${style.eol}${indent}`);
  }
  const space = isDense(text) ? '' : ' ';
  const written = ([key = '', ...below]: readonly string[]): string =>
    // Spaces inside the braces mark a map that was created for its content.
    `${JSON.stringify(key)}:${space}${below.length === 0 ? inline(value, text) : `{ ${written(below)} }`}`;
  return insertMember(text, list, written(missing), space);
}

/** Removes the entry. Returns undefined if the file was created for it. */
export function removeJson(text: string, path: readonly string[]): string | undefined {
  const root = parse(text);
  if (!root) return text;
  const { nodes, missing } = walk(root, path);
  if (missing.length > 0) return text;
  for (let depth = path.length - 1; depth >= 0; depth -= 1) {
    const map = nodes[depth] ?? root;
    const index = (map.children ?? []).findLastIndex((property) => keyOf(property) === path[depth]);
    const removal = removeMember(text, bracketed(map), index);
    if (removal.kind === 'cut') return spliced(text, removal.splices);
  }
  const [before, after] = [text.slice(0, root.offset), text.slice(root.offset + root.length)];
  // Most programs reject a file that contains only comments.
  if (`${before}${after}`.trim() !== '') return `${before}{}${after}`;
  return before === '' && /^\r?\n$/.test(after) ? undefined : `${before}${after}`;
}

/** Adds a text to the list at the path, which is created if it does not exist. */
export function addToJsonList(text: string, path: readonly string[], item: string): string {
  const root = parse(text);
  const { nodes, missing } = root ? walk(root, path) : { nodes: [], missing: path };
  const list = nodes.at(-1);
  if (!list || missing.length > 0) return setJson(text, path, [item]);
  if (list.type !== 'array') throw refusal(`"${path.join('.')}" is not a list`);
  const [first] = list.children ?? [];
  const isTallList = first !== undefined && isTall(text, list);
  const between = isTallList ? `${styleOf(text).eol}${indentAt(text, first.offset)}` : isDense(text) ? '' : ' ';
  return spliced(text, insertMember(text, bracketed(list), JSON.stringify(item), between));
}

/** Removes a text from the list at the path; an empty list stays. */
export function removeFromJsonList(text: string, path: readonly string[], item: string): string {
  const root = parse(text);
  if (!root) return text;
  const { nodes, missing } = walk(root, path);
  const list = nodes.at(-1);
  if (!list || missing.length > 0 || list.type !== 'array') return text;
  const index = (list.children ?? []).findLastIndex((one) => one.value === item);
  if (index < 0) return text;
  const brackets = bracketed(list);
  const removal = removeMember(text, brackets, index);
  if (removal.kind === 'cut') return spliced(text, removal.splices);
  return spliced(text, [{ start: brackets.open, end: brackets.close, text: '' }]);
}

/** The existing nodes along the path, starting at the root. */
function walk(root: Node, path: readonly string[]): { nodes: readonly Node[]; missing: readonly string[] } {
  const nodes = [root];
  for (const [n, key] of path.entries()) {
    const node = nodes.at(-1) ?? root;
    if (node.type !== 'object') {
      throw refusal(`${n === 0 ? 'the file' : `"${path.slice(0, n).join('.')}"`} is not a map`);
    }
    const property = (node.children ?? []).findLast((one) => keyOf(one) === key);
    if (!property) return { nodes, missing: path.slice(n) };
    nodes.push(valueNode(property));
  }
  return { nodes, missing: [] };
}

function keyOf(property: Node): string {
  return String(property.children?.[0]?.value);
}

function valueNode(property: Node): Node {
  return property.children?.[1] ?? property;
}

function bracketed({ offset, length, children = [] }: Node): Bracketed {
  const members = children.map((child) => ({ start: child.offset, end: child.offset + child.length }));
  return { open: offset + 1, close: offset + length - 1, members, comments: ['//', '/*'] };
}

/** Returns whether the members of a map are on separate lines. */
function isTall(text: string, map: Node): boolean {
  const [first] = map.children ?? [];
  return first !== undefined && text.slice(map.offset, first.offset).includes('\n');
}

/** Returns whether there is no space after any colon. */
function isDense(text: string): boolean {
  return /"\s*:\S/.test(text) && !/"\s*:\s/.test(text);
}

function nested(path: readonly string[], value: Plain): Plain {
  return path.reduceRight<Plain>((inner, key) => Object.fromEntries([[key, inner]]), value);
}

function pretty(value: Plain, { unit, eol }: TextStyle, indent: string): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}

function inline(value: Plain, text: string): string {
  if (isDense(text)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Plain) => inline(item, text)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${inline(item, text)}`)
    .join(', ')}}`;
}
