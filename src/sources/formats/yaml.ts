import {
  type Alias,
  Composer,
  type CST,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  Parser,
  visit,
  type YAMLMap,
  YAMLParseError,
  type Document as YamlDocument,
} from 'yaml';
import { broken, type DocumentPath, isTooDeep, type Parsed, TooDeep } from './document.js';

/** Larger YAML is no configuration; parsing it would hold everything else up for seconds. */
const MAX_YAML_CHARACTERS = 1024 * 1024;
/** The parser looks through every anchor for each alias. */
const MAX_ALIASES = 1000;
/** What a file may grow to when its aliases are written out. */
const MAX_VALUES = 1_000_000;

export function parseYaml(text: string, linesBefore = 0): Parsed {
  if (text.length > MAX_YAML_CHARACTERS) return broken('YAML of more than 1 MB is not read', 1);
  const counter = new LineCounter();
  const document = parseOnce(text, counter);
  const fault = document.errors[0] ?? check(document);
  if (fault) {
    const line = counter.linePos(fault.pos[0]).line || 1;
    return broken(`not valid YAML: ${fault.message.split('\n')[0]}`, line + linesBefore);
  }
  // The parser's own count of aliases goes through the whole document for each of them.
  const value: unknown = document.toJS({ maxAliasCount: -1 });
  if (!isWithin(value)) return broken('its aliases lead back to themselves or stand for too much', 1 + linesBefore);
  const offsets = offsetsIn(document);
  const lineOf = (path: DocumentPath): number | undefined => {
    const offset = offsets(path);
    return offset === undefined ? undefined : counter.linePos(offset).line + linesBefore;
  };
  return { kind: 'parsed', document: { value, lineOf } };
}

/** The YAML between the two `---` lines at the head of a Markdown file; a file without them says nothing. */
export function parseFrontMatter(text: string): Parsed {
  const [opening] = /^---[ \t]*\r?\n/.exec(text) ?? [];
  const closing = /^---[ \t]*\r?$/gm;
  closing.lastIndex = opening?.length ?? 0;
  const end = opening === undefined ? undefined : closing.exec(text)?.index;
  if (end === undefined) return { kind: 'parsed', document: { value: undefined, lineOf: () => undefined } };
  return parseYaml(text.slice(opening?.length, end), 1);
}

function parseOnce(text: string, counter: LineCounter): YamlDocument.Parsed {
  const tokens = [...new Parser(counter.addNewLine).parse(text)];
  if (isTooDeep(tokens, tokensIn)) throw new TooDeep();
  const { stackTraceLimit } = Error;
  try {
    // The parser makes an error of every fault in the file, and in a file full of them the stack traces take seconds.
    Error.stackTraceLimit = 0;
    // 1.2: in 1.1 a server called `off` would be called `false`. Errors are made pretty, and keys found to be unique, in
    // a time that grows with the square of the file; we do both ourselves.
    const composer = new Composer({ version: '1.2', prettyErrors: false, uniqueKeys: false, logLevel: 'error' });
    const [document, second] = composer.compose(tokens, true, text.length);
    if (!document) throw new Error('it holds no document');
    if (second) document.errors.push(new YAMLParseError(rangeOf(second), 'MULTIPLE_DOCS', 'only one document is read'));
    return document;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function rangeOf({ range }: YamlDocument.Parsed): [number, number] {
  return [range[0], range[1]];
}

function tokensIn(token: CST.Token): CST.Token[] {
  const inside = 'items' in token ? token.items.flatMap(({ key, value }) => [key, value]) : [];
  return [...inside, token.type === 'document' ? token.value : undefined].filter(
    (one) => one !== undefined && one !== null,
  );
}

interface Fault {
  readonly message: string;
  readonly pos: readonly [number, number];
}

/** What the parser does not look at, or not fast enough: keys that occur twice, aliases to nothing or without number. */
function check(document: YamlDocument.Parsed): Fault | undefined {
  const anchors = new Set<string>();
  let aliases = 0;
  let fault: Fault | undefined;
  visit(document, {
    Node(_, node) {
      fault = isAlias(node) ? faultyAlias(node, anchors, aliases) : isMap(node) ? repeatedKey(node) : undefined;
      if (isAlias(node)) aliases += 1;
      else if (node.anchor !== undefined) anchors.add(node.anchor);
      return fault && visit.BREAK;
    },
  });
  return fault;
}

function faultyAlias(node: Alias, anchors: ReadonlySet<string>, before: number): Fault | undefined {
  if (!anchors.has(node.source)) return faultAt(node, `the alias ${node.source} stands for nothing`);
  return before >= MAX_ALIASES ? faultAt(node, 'too many aliases') : undefined;
}

function repeatedKey({ items }: YAMLMap): Fault | undefined {
  const seen = new Set<unknown>();
  for (const { key } of items) {
    if (isScalar(key) && seen.has(key.value)) return faultAt(key, 'Map keys must be unique');
    if (isScalar(key)) seen.add(key.value);
  }
  return undefined;
}

function faultAt({ range }: Node, message: string): Fault {
  return { message, pos: [range?.[0] ?? 0, range?.[1] ?? 0] };
}

/** Whether a value, with everything that occurs twice counted twice, is of a size that can be walked through. */
function isWithin(value: unknown): boolean {
  const sizes = new Map<object, number>();
  const size = (item: unknown): number => {
    if (typeof item !== 'object' || item === null) return 1;
    const known = sizes.get(item);
    if (known !== undefined) return known;
    sizes.set(item, Number.POSITIVE_INFINITY); // it holds itself if it is met again before it has been counted
    const counted = Object.values(item).reduce((sum: number, one: unknown) => sum + size(one), 1);
    sizes.set(item, counted);
    return counted;
  };
  return size(value) <= MAX_VALUES;
}

interface Item {
  readonly offset: number | undefined;
  readonly node: unknown;
}

/** Finds where a key or list item begins; each map and list is looked through once. */
function offsetsIn(document: YamlDocument.Parsed): (path: DocumentPath) => number | undefined {
  const known = new Map<unknown, ReadonlyMap<string, Item>>();
  const itemsOf = (node: unknown): ReadonlyMap<string, Item> => {
    const items = known.get(node) ?? readItems(isAlias(node) ? node.resolve(document) : node);
    known.set(node, items);
    return items;
  };
  return (path) => {
    let found: Item | undefined = { offset: undefined, node: document.contents };
    for (const step of path) found = found && itemsOf(found.node).get(String(step));
    return found?.offset;
  };
}

function readItems(node: unknown): Map<string, Item> {
  const beginOf = (one: unknown) => (isNode(one) ? one.range?.[0] : undefined);
  if (isMap(node)) {
    return new Map(
      node.items.flatMap(({ key, value }) =>
        isScalar(key) ? [[String(key.value), { offset: beginOf(key), node: value }]] : [],
      ),
    );
  }
  const items: readonly unknown[] = isCollection(node) ? node.items : [];
  return new Map(items.map((item, n) => [String(n), { offset: beginOf(item), node: item }]));
}
