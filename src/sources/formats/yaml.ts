import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type Document as YamlDocument,
} from 'yaml';
import { broken, type DocumentPath, type Parsed } from './document.js';

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

function parseOnce(text: string, lineCounter: LineCounter): YamlDocument.Parsed {
  const { stackTraceLimit } = Error;
  try {
    // The parser makes an error of every fault in the file, and in a file full of them the stack traces take seconds.
    Error.stackTraceLimit = 0;
    // 1.2: in 1.1 a server called `off` would be called `false`. Errors are made pretty, and keys found to be unique, in
    // a time that grows with the square of the file; we do both ourselves.
    return parseDocument(text, {
      version: '1.2',
      lineCounter,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'error',
    });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

interface Fault {
  readonly message: string;
  readonly pos: readonly [number, number];
}

/** What the parser does not look at, or not fast enough: keys that occur twice, and aliases without number. */
function check(document: YamlDocument.Parsed): Fault | undefined {
  let aliases = 0;
  let fault: Fault | undefined;
  const stop = (message: string, node: unknown) => {
    const at = (isNode(node) ? node.range?.[0] : undefined) ?? 0;
    fault = { message, pos: [at, at] };
    return visit.BREAK;
  };
  visit(document, {
    Alias(_, node) {
      aliases += 1;
      return aliases > MAX_ALIASES ? stop('too many aliases', node) : undefined;
    },
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) return stop('Map keys must be unique', key);
        keys.add(key.value);
      }
      return undefined;
    },
  });
  return fault;
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
      node.items.map(({ key, value }) => [
        String(isScalar(key) ? key.value : key),
        { offset: beginOf(key), node: value },
      ]),
    );
  }
  const items: readonly unknown[] = isCollection(node) ? node.items : [];
  return new Map(items.map((item, n) => [String(n), { offset: beginOf(item), node: item }]));
}
