import { parse, TomlError } from 'smol-toml';
import { broken, type DocumentPath, type Parsed } from './document.js';

export function parseToml(text: string): Parsed {
  try {
    const value = parse(text);
    return { kind: 'parsed', document: { value, lineOf: (path) => tableLine(text, path) } };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = 'syntax error'] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    return broken(`not valid TOML: ${reason}`, error.line);
  }
}

/** The header (`[a.b]`, `[[a]]`) or assignment that first speaks of the path. */
function tableLine(text: string, path: DocumentPath): number | undefined {
  const wanted = path.filter((step) => typeof step === 'string');
  const index = path.find((step) => typeof step === 'number') ?? 0;
  let seen = -1;
  let table: string[] = [];
  for (const [number, line] of text.split('\n').entries()) {
    const header = /^\s*(\[{1,2})(.*?)\]{1,2}\s*(?:#.*)?$/.exec(line);
    if (header) table = keys(header[2] ?? '');
    const key = header ? table : [...table, ...keys(/^\s*([^=#]+?)\s*=/.exec(line)?.[1] ?? '')];
    if (!header && key.length === table.length) continue;
    if (!wanted.every((step, n) => key[n] === step)) continue;
    if (header?.[1] === '[[' && key.length === wanted.length) seen += 1;
    else if (seen < 0) seen = index;
    if (seen === index) return number + 1;
  }
  return undefined;
}

/** The parts of a dotted key, quotes taken off. */
function keys(dotted: string): string[] {
  const parts = dotted.match(/"(?:[^"\\]|\\.)*"|'[^']*'|[^.\s"']+/g) ?? [];
  return parts.map((part) => (/^["']/.test(part) ? part.slice(1, -1) : part));
}
