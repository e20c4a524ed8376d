import type { ParseError } from 'jsonc-parser';
import { broken, type Document, type DocumentPath, lineAt, type Parsed } from './document.js';
import { memberLines } from './json-lines.js';

/** `JSON.parse` first: it is many times faster, and most files are plain JSON. */
export async function parseJson(text: string): Promise<Parsed> {
  if (text.trim() === '') return { kind: 'broken', message: 'the file is empty', line: 1, empty: true };
  try {
    return { kind: 'parsed', document: jsonDocument(text, JSON.parse(text)) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (!first) return { kind: 'parsed', document: jsonDocument(text, value) };
  return broken(`not valid JSON: ${sentence(printParseErrorCode(first.error))}`, lineAt(text, first.offset));
}

/** JSON5 is rarer than the JSON it contains. */
export async function parseJson5(text: string): Promise<Parsed> {
  const plain = await parseJson(text);
  if (plain.kind === 'parsed' || plain.empty) return plain;
  const { default: json5 } = await import('json5');
  try {
    return { kind: 'parsed', document: jsonDocument(text, json5.parse(text)) };
  } catch (error) {
    const line = error instanceof Error && 'lineNumber' in error ? Number(error.lineNumber) : plain.line;
    return broken(`not valid JSON5: ${error instanceof Error ? error.message.replace(/^JSON5: /, '') : error}`, line);
  }
}

function jsonDocument(text: string, value: unknown): Document {
  const known = new Map<string, ReadonlyMap<string, number>>();
  return {
    value,
    lineOf(path: DocumentPath) {
      const container = path.slice(0, -1);
      const key = JSON.stringify(container);
      const lines = known.get(key) ?? memberLines(text, container);
      known.set(key, lines);
      return lines.get(String(path.at(-1)));
    },
  };
}

/** `CommaExpected` → `comma expected`. */
function sentence(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
