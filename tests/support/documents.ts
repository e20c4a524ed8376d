import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block of a document, with its position. */
export interface Block {
  readonly document: string;
  /** The line of the opening fence. */
  readonly line: number;
  /** The language of the fence; empty if it has none. */
  readonly language: string;
  readonly text: string;
}

export interface Heading {
  readonly depth: number;
  readonly text: string;
}

export interface Document {
  readonly path: string;
  readonly blocks: readonly Block[];
  readonly headings: readonly Heading[];
  /** Targets of the links, as written, except those in code. */
  readonly links: readonly string[];
  /** Inline code. */
  readonly code: readonly string[];
  /** Command lines in blocks that are indented instead of fenced. */
  readonly indented: readonly TypedLine[];
}

const ALSO = ['README.md', 'CONTRIBUTING.md', 'examples/README.md'];

/** Every document for users and contributors. */
export function readDocuments(root: string): readonly Document[] {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`);
  return [...ALSO, ...pages.sort()].map((path) => parseDocument(path, readFileSync(join(root, path), 'utf8')));
}

export function parseDocument(path: string, text: string): Document {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: { readonly fence: string; readonly language: string; readonly line: number; lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^ {0,3}(`{3,}|~{3,})\s*(\S*)/.exec(line);
    if (open && fence?.[1]?.startsWith(open.fence) && fence[2] === '') {
      blocks.push({ document: path, line: open.line, language: open.language, text: open.lines.join('\n') });
      open = undefined;
    } else if (open) open.lines.push(line);
    else if (fence) open = { fence: fence[1] ?? '', language: fence[2] ?? '', line: index + 1, lines: [] };
    else prose.push(line);
  }
  if (open) throw new Error(`${path}:${open.line}: the block is not closed`);
  return { path, blocks, ...partsOf(path, prose) };
}

function partsOf(
  document: string,
  prose: readonly string[],
): Pick<Document, 'headings' | 'links' | 'code' | 'indented'> {
  return {
    headings: prose.flatMap((line) => {
      const [, marks = '', text = ''] = /^(#{1,6}) (.+)$/.exec(line) ?? [];
      return marks === '' ? [] : [{ depth: marks.length, text }];
    }),
    links: prose.flatMap((line) => {
      const plain = line.replaceAll(/`[^`]*`/g, (code) => '`'.repeat(code.length));
      return [...plain.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    }),
    code: prose.flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)),
    indented: prose
      .filter((line) => /^ {4}(?:npm|npx|portolan|node) /.test(line))
      .flatMap((line) => typed(document, line)),
  };
}

/** The anchor of a heading, as GitHub generates it. */
export function anchorOf({ text }: Heading): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/** A command line and its documented exit code. */
export interface TypedLine {
  readonly document: string;
  readonly text: string;
  readonly exits: number;
}

/** The command lines of a shell block. In a `console` block only lines with `$ ` are commands, the others are output. */
export function typedLines({ document, language, text }: Block): TypedLine[] {
  const lines = text.replaceAll(/\s*\\\n\s*/g, ' ').split('\n');
  const commands =
    language === 'console' ? lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)) : lines;
  return commands.flatMap((line) => typed(document, line));
}

/** One line without its comment; nothing for a line that is only a comment. */
function typed(document: string, line: string): TypedLine[] {
  const [, text = '', remark = ''] = /^(.*?)(?:\s+#\s*(.*))?$/.exec(line.trim()) ?? [];
  if (text === '' || text.startsWith('#')) return [];
  return [{ document, text, exits: Number(/^exits (\d+)\b/.exec(remark)?.[1] ?? 0) }];
}
