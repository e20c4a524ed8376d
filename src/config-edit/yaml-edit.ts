// Our own edit: the package `yaml` finds the ranges, but prints a changed document in its own style.
import {
  isAlias,
  isCollection,
  isNode,
  isScalar,
  isSeq,
  isMap as isYamlMap,
  LineCounter,
  type Node,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { type Bracketed, insertMember, removeMember } from './bracket-members.js';
import { brokenAt, type EntryPath, nameOf, type Plain, refusal } from './edit-entry.js';
import {
  indentAt,
  lineEnd,
  lineStart,
  type Range,
  type Splice,
  spliced,
  styleOf,
  type TextStyle,
} from './text-style.js';

/** Larger files are not configuration, and the parser would take seconds. */
const MAX_CHARACTERS = 1024 * 1024;

function parse(text: string) {
  if (text.length > MAX_CHARACTERS) throw refusal('it has more than 1 MB of YAML');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { version: '1.2', lineCounter, prettyErrors: false, logLevel: 'error' });
  const [fault] = document.errors;
  if (fault) throw brokenAt(lineCounter.linePos(fault.pos[0]).line || 1, 'YAML', fault.message.split('\n')[0] ?? '');
  return document;
}

export function readYaml(text: string): unknown {
  const value: unknown = parse(text).toJS({ maxAliasCount: 1000 });
  return value;
}

/** Adds the entry beside its neighbours, in their style. */
export function setYaml(text: string | undefined, at: EntryPath, value: Plain): string {
  const current = text ?? '';
  const style = yamlStyle(current);
  const root = parse(current).contents;
  if (!root || isNothing(root)) {
    if (root?.range && current.slice(root.range[0], root.range[1]) !== '')
      throw refusal('it contains null instead of a map');
    const block = lines(nested(at, at.path, value), style, '').join(style.eol);
    if (text === undefined) return `${block}${style.eol}`;
    return current.endsWith('\n')
      ? `${current}${block}${style.eol}`
      : `${current}${current === '' ? '' : style.eol}${block}`;
  }
  const { steps, missing } = walk(root, at);
  const container = steps.at(-1)?.node ?? root;
  if (missing.length === 0) return spliced(current, replacement(current, steps.at(-1), value, style));
  if (isNothing(container)) return spliced(current, fillNothing(current, steps.at(-1), at, missing, value));
  if (!isCollection(container)) throw refusal(`"${at.path.slice(0, -missing.length).join('.')}" is not a map`);
  if (container.flow)
    return spliced(current, insertMember(current, flowList(container), flowMember(at, missing, value), ' '));
  return spliced(current, [blockInsertion(current, container, nested(at, missing, value), style)]);
}

/** Removes the entry. Returns undefined if the file was created for it. */
export function removeYaml(text: string, at: EntryPath): string | undefined {
  const root = parse(text).contents;
  if (!root || !isCollection(root)) return text;
  const { steps, missing } = walk(root, at);
  if (missing.length > 0) return text;
  for (const [n, { container, index, lead }] of [...steps.entries()].toReversed()) {
    if (container.flow) {
      const removal = removeMember(text, flowList(container), index);
      if (removal.kind === 'cut') return spliced(text, removal.splices);
      const [start = 0, end = 0] = container.range ?? [];
      if (container === root) return spliced(text, [{ start: start + 1, end: end - 1, text: '' }]);
      // Spaces inside the brackets mean that they were created for the entry; within other brackets the key stays.
      if (steps[n - 1]?.container.flow) continue;
      return spliced(text, [{ start: start - (text[start - 1] === ' ' ? 1 : 0), end, text: '' }]);
    }
    if (container.items.length > 1 || container === root) {
      const left = spliced(text, [lineCut(text, lead, contentEnd(container.items[index]))]);
      return left === '' && text.endsWith('\n') ? undefined : left;
    }
  }
  return text;
}

type Container = (YAMLMap | YAMLSeq) & { flow?: boolean };

interface Step {
  readonly container: Container;
  readonly index: number;
  /** The offset at which the key or list item starts. */
  readonly lead: number;
  readonly node: Node;
}

/** The existing steps along the path. */
function walk(root: Node, at: EntryPath): { steps: readonly Step[]; missing: readonly string[] } {
  const steps: Step[] = [];
  for (const [n, key] of at.path.entries()) {
    const container = steps.at(-1)?.node ?? root;
    if (isAlias(container)) throw refusal(`"${at.path.slice(0, n).join('.')}" is an alias of another part of the file`);
    const inList = at.list === true && n === at.path.length - 1;
    if (isNothing(container)) return { steps, missing: at.path.slice(n) };
    if (inList ? !isSeq(container) : !isYamlMap(container)) {
      throw refusal(
        `${n === 0 ? 'the file' : `"${at.path.slice(0, n).join('.')}"`} is not a ${inList ? 'list' : 'map'}`,
      );
    }
    const step = isSeq(container)
      ? itemNamed(container, key)
      : isYamlMap(container)
        ? pairOf(container, key)
        : undefined;
    if (!step) return { steps, missing: at.path.slice(n) };
    steps.push(step);
  }
  return { steps, missing: [] };
}

function pairOf(container: YAMLMap, key: string): Step | undefined {
  const index = container.items.findIndex((pair) => isScalar(pair.key) && String(pair.key.value) === key);
  const pair = container.items[index];
  if (!pair || !isNode(pair.key)) return undefined;
  const lead = pair.key.range?.[0] ?? 0;
  const node = isNode(pair.value) ? pair.value : undefined;
  if (!node) throw refusal(`"${key}" has an unsupported notation`);
  return { container, index, lead, node };
}

function itemNamed(container: YAMLSeq, name: string): Step | undefined {
  const index = container.items.findIndex((item) => isYamlMap(item) && nameOf(item.toJSON()) === name);
  const node = container.items[index];
  return isNode(node) ? { container, index, lead: node.range?.[0] ?? 0, node } : undefined;
}

function isNothing(node: Node): boolean {
  return isScalar(node) && node.value === null;
}

/** The offset after the last character of a node, without trailing white space and comments. */
function contentEnd(item: unknown): number {
  if (isNode(item)) {
    if (isCollection(item) && !item.flow) return contentEnd(item.items.at(-1));
    return item.range?.[1] ?? 0;
  }
  if (typeof item !== 'object' || item === null || !('key' in item) || !('value' in item)) return 0;
  const ofKey = contentEnd(item.key);
  // A key without a value ends at its colon.
  return Math.max(ofKey + 1, contentEnd(item.value));
}

/** Whole lines from the start of the entry to its end. */
function lineCut(text: string, lead: number, end: number): Splice {
  const start = lineStart(text, lead);
  if (!/^\s*(?:-\s+)?$/.test(text.slice(start, lead))) throw refusal('the entry shares a line with something else');
  // A multi-line text ends with its last line break.
  const stop = text[end - 1] === '\n' ? end : lineEnd(text, end);
  const lineBreak = text[end - 1] === '\n' ? '' : (/^\r?\n/.exec(text.slice(stop))?.[0] ?? '');
  if (lineBreak !== '' || text[end - 1] === '\n') return { start, end: stop + lineBreak.length, text: '' };
  const before = text.slice(0, start).replace(/\r?\n$/, '').length;
  return { start: before, end: stop, text: '' };
}

function blockInsertion(text: string, container: Container, part: Plain, style: YamlStyle): Splice {
  const first = container.items[0];
  const firstLead = leadOf(first);
  const start = lineStart(text, firstLead);
  const isList = isSeq(container);
  const lead = text.slice(start, firstLead);
  if (!(isList ? /^ *- +$/ : /^ *$/).test(lead)) throw refusal('its entries start in the middle of a line');
  const indent = /^ */.exec(lead)?.[0] ?? '';
  const block = lines(part, style, indent);
  const end = contentEnd(container.items.at(-1));
  if (text[end - 1] === '\n') return { start: end, end, text: `${block.join(style.eol)}${style.eol}` };
  const stop = lineEnd(text, end);
  return { start: stop, end: stop, text: `${style.eol}${block.join(style.eol)}` };
}

function leadOf(item: unknown): number {
  if (isNode(item)) return item.range?.[0] ?? 0;
  return typeof item === 'object' && item !== null && 'key' in item ? leadOf(item.key) : 0;
}

/** An empty value after `key:` gets braces with spaces inside, which distinguish it from `key: {}` on removal. */
function fillNothing(
  text: string,
  step: Step | undefined,
  at: EntryPath,
  missing: readonly string[],
  value: Plain,
): Splice[] {
  if (!step) throw refusal('it contains null instead of a map');
  const key = step.container.items[step.index];
  const end = contentEnd(typeof key === 'object' && key !== null && 'key' in key ? key.key : undefined);
  const colon = text.indexOf(':', end) + 1;
  const { node } = step;
  const [from = colon, to = colon] = node.range ?? [];
  if (text.slice(from, to).trim() !== '') throw refusal(`"${at.path.slice(0, -missing.length).join('.')}" is null`);
  const inside = flowMember(at, missing, value);
  return [{ start: colon, end: colon, text: ` ${bracketed(at, missing, inside)}` }];
}

function replacement(text: string, step: Step | undefined, value: Plain, style: YamlStyle): Splice[] {
  if (!step) throw refusal('the entry is the whole file');
  const { container, node, lead, index } = step;
  if (container.flow || (isCollection(node) && node.flow) || !isCollection(node)) {
    const [start = 0, end = 0] = node.range ?? [];
    const gap = text[start - 1] === ':' ? ' ' : '';
    return [{ start, end, text: `${gap}${flowText(value)}` }];
  }
  const pair = container.items[index];
  const indent = indentAt(text, lead);
  const name = isScalar(pair) || isNode(pair) ? undefined : keyText(text, pair);
  const made =
    name === undefined
      ? lines([value], style, indent)
      : [`${indent}${name}:`, ...lines(value, style, `${indent}${style.unit}`)];
  return [{ start: lineStart(text, lead), end: contentEnd(pair), text: made.join(style.eol) }];
}

function keyText(text: string, pair: unknown): string {
  const key: unknown = typeof pair === 'object' && pair !== null && 'key' in pair ? pair.key : undefined;
  const [start = 0, end = 0] = (isNode(key) ? key.range : undefined) ?? [];
  return text.slice(start, end);
}

function flowList(container: Container): Bracketed {
  const [start = 0, end = 0] = container.range ?? [];
  const members = container.items.map((item): Range => ({ start: leadOf(item), end: contentEnd(item) }));
  return { open: start + 1, close: end - 1, members, comments: ['#'] };
}

function flowMember(at: EntryPath, [key = '', ...below]: readonly string[], value: Plain): string {
  if (below.length === 0 && at.list) return flowText(value);
  const name = flowText([key]).slice(1, -1);
  if (below.length === 0) return `${name}: ${flowText(value)}`;
  return `${name}: ${bracketed(at, below, flowMember(at, below, value))}`;
}

/** Brackets that are created for their content have spaces inside. */
function bracketed({ list }: EntryPath, missing: readonly string[], inside: string): string {
  return list && missing.length === 1 ? `[ ${inside} ]` : `{ ${inside} }`;
}

/** Wraps the value in the missing part of the path: maps, and a list at the end if the entry is a list item. */
function nested({ list }: EntryPath, missing: readonly string[], value: Plain): Plain {
  return missing.reduceRight<Plain>(
    (inner, key, n) => (list && n === missing.length - 1 ? [inner] : Object.fromEntries([[key, inner]])),
    value,
  );
}

/** Quotes words that YAML 1.1 reads as booleans, and multi-line text, which then starts and ends on one line. */
const WRITING = { version: '1.2', compat: 'yaml-1.1', lineWidth: 0, blockQuote: false } as const;

function flowText(value: Plain): string {
  return stringify(value, { ...WRITING, collectionStyle: 'flow', flowCollectionPadding: false }).trimEnd();
}

interface YamlStyle extends TextStyle {
  readonly indentSeq: boolean;
}

function yamlStyle(text: string): YamlStyle {
  const style = styleOf(text);
  const unit = style.unit.startsWith('\t') ? '  ' : style.unit;
  return { ...style, unit, indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(text) };
}

function lines(value: Plain, { unit, indentSeq }: YamlStyle, indent: string): string[] {
  const text = stringify(value, { ...WRITING, indent: unit.length, indentSeq });
  return text
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `${indent}${line}`));
}
