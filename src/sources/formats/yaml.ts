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

/** The size limit of YAML; parsing a larger file would block the event loop for seconds. */
const MAX_YAML_CHARACTERS = 1024 * 1024;
/** The parser searches all anchors for each alias. */
const MAX_ALIASES = 1000;
/** The limit of values after all aliases are expanded. */
const MAX_VALUES = 1_000_000;

export function parseYaml(text: string, linesBefore = 0): Parsed {
  if (text.length > MAX_YAML_CHARACTERS) return broken('a YAML file may not be larger than 1 MB', 1);
  const counter = new LineCounter();
  const document = parseOnce(text, counter);
  const fault = document.errors[0] ?? check(document);
  if (fault) {
    const line = counter.linePos(fault.pos[0]).line || 1;
    return broken(`not valid YAML: ${fault.message.split('\n')[0]}`, line + linesBefore);
  }
  // The parser's own count of aliases traverses the whole document for each alias, so it is disabled.
  const value: unknown = document.toJS({ maxAliasCount: -1 });
  if (!isWithin(value)) return broken('its aliases are circular or expand to too many values', 1 + linesBefore);
  const offsets = offsetsIn(document);
  const lineOf = (path: DocumentPath): number | undefined => {
    const offset = offsets(path);
    return offset === undefined ? undefined : counter.linePos(offset).line + linesBefore;
  };
  return { kind: 'parsed', document: { value, lineOf } };
}

/** Parses the YAML between the two `---` lines at the start of a Markdown file; undefined without them. */
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
    // The parser creates an Error for each syntax error; with many of them the stack traces would take seconds.
    Error.stackTraceLimit = 0;
    // Version 1.2, because 1.1 would turn a server named `off` into `false`. The parser's pretty errors and its check for
    // unique keys take quadratic time, so both are done here instead.
    const composer = new Composer({ version: '1.2', prettyErrors: false, uniqueKeys: false, logLevel: 'error' });
    const [document, second] = composer.compose(tokens, true, text.length);
    if (!document) throw new Error('it contains no document');
    if (second)
      document.errors.push(new YAMLParseError(rangeOf(second), 'MULTIPLE_DOCS', 'only one document is allowed'));
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

/** Checks that the parser omits or does too slowly: repeated keys, undefined aliases and too many aliases. */
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
  if (!anchors.has(node.source)) return faultAt(node, `the alias ${node.source} is undefined`);
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

/** Whether the value, with shared parts counted repeatedly, is small enough to traverse. */
function isWithin(value: unknown): boolean {
  const sizes = new Map<object, number>();
  const size = (item: unknown): number => {
    if (typeof item !== 'object' || item === null) return 1;
    const known = sizes.get(item);
    if (known !== undefined) return known;
    sizes.set(item, Number.POSITIVE_INFINITY); // infinite if it is reached again before it is counted, because it contains itself
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

/** Finds the offset of a key or list item; each map and list is scanned once. */
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
