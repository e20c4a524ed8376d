import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { broken, type DocumentPath, type Parsed } from './document.js';

/** Larger YAML is no configuration; parsing it would hold everything else up for seconds. */
const MAX_YAML_CHARACTERS = 1024 * 1024;

export function parseYaml(text: string, linesBefore = 0): Parsed {
  if (text.length > MAX_YAML_CHARACTERS) return broken('a YAML file of more than 1 MB is not read', 1);
  const counter = new LineCounter();
  // 1.2: in 1.1 a server called `off` would be called `false`.
  const document = parseDocument(text, { version: '1.2', lineCounter: counter, prettyErrors: true, logLevel: 'error' });
  const [first] = document.errors;
  if (first) {
    const [reason = first.message] = first.message.split('\n');
    const line = first.linePos?.[0].line ?? 1;
    return broken(`not valid YAML: ${reason.replace(/ at line \d+, column \d+:?$/, '')}`, line + linesBefore);
  }
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  const lineOf = (path: DocumentPath): number | undefined => {
    const container = document.getIn(path.slice(0, -1), true);
    const last = path.at(-1);
    const offset =
      isMap(container) || isSeq(container)
        ? container.items
            .map((item, n) => ({ node: isPair(item) ? item.key : item, n }))
            .filter(({ node, n }) =>
              typeof last === 'number' ? n === last : isScalar(node) && String(node.value) === last,
            )
            .map(({ node }) => (isNode(node) ? node.range?.[0] : undefined))[0]
        : undefined;
    return offset === undefined || offset === null ? undefined : counter.linePos(offset).line + linesBefore;
  };
  return { kind: 'parsed', document: { value, lineOf } };
}

/** The YAML between the two `---` lines at the head of a Markdown file; a file without them says nothing. */
export function parseFrontMatter(text: string): Parsed {
  const match = /^---[ \t]*\r?\n([\s\S]*?)(?:\r?\n|^)---[ \t]*(?:\r?\n|$)/m.exec(text);
  if (match?.index !== 0) return { kind: 'parsed', document: { value: undefined, lineOf: () => undefined } };
  return parseYaml(match[1] ?? '', 1);
}
