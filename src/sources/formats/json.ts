import type { ParseErrorCode } from 'jsonc-parser';
import { broken, type Document, lineAt, MAX_DEPTH, type Parsed, TooDeep } from './document.js';
import { jsonLines } from './json-lines.js';

/** The size limit of JSON5, whose parser is far slower than that of JSON. */
const MAX_JSON5_CHARACTERS = 4 * 1024 * 1024;

/** Tries `JSON.parse` first, because it is many times faster and most files are plain JSON. */
export async function parseJson(text: string): Promise<Parsed> {
  if (text.trim() === '') return { kind: 'broken', message: 'the file is empty', line: 1, empty: true };
  try {
    return { kind: 'parsed', document: jsonDocument(text, JSON.parse(text)) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const { printParseErrorCode, visit } = await import('./small-parsers.js');
  try {
    return { kind: 'parsed', document: jsonDocument(text, parseJsonc(text, visit)) };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return broken(`not valid JSON: ${sentence(printParseErrorCode(error.code))}`, lineAt(text, error.offset));
  }
}

/** Tries plain JSON first, because it is more common than JSON5. */
export async function parseJson5(text: string): Promise<Parsed> {
  const plain = await parseJson(text);
  if (plain.kind === 'parsed' || plain.empty) return plain;
  if (text.length > MAX_JSON5_CHARACTERS) return broken('a JSON5 file may not be larger than 4 MB', plain.line);
  // The parser would print a warning to the terminal for each of them.
  const separator = text.search(/[\u2028\u2029]/);
  if (separator >= 0) return broken('not valid JSON5: a line separator (U+2028 or U+2029)', lineAt(text, separator));
  const { json5 } = await import('./small-parsers.js');
  try {
    return { kind: 'parsed', document: jsonDocument(text, json5.parse(text)) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const line = 'lineNumber' in error ? Number(error.lineNumber) : plain.line;
    return broken(`not valid JSON5: ${error.message.replace(/^JSON5: /, '')}`, line);
  }
}

/** Thrown at the first syntax error, so that parsing stops early. */
class JsonFault extends Error {
  readonly code: ParseErrorCode;
  readonly offset: number;

  constructor(code: ParseErrorCode, offset: number) {
    super('not valid JSON');
    this.code = code;
    this.offset = offset;
  }
}

/** Like the parser's own `parse`, but treats `__proto__` as an ordinary key. */
function parseJsonc(text: string, visit: typeof import('jsonc-parser').visit): unknown {
  const top: unknown[] = [];
  const open: (unknown[] | Record<string, unknown>)[] = [top];
  const keys: string[] = [];
  const put = (value: unknown): void => {
    const into = open.at(-1) ?? top;
    if (Array.isArray(into)) into.push(value);
    else
      Object.defineProperty(into, keys.at(-1) ?? '', { value, configurable: true, enumerable: true, writable: true });
  };
  const begin = (container: unknown[] | Record<string, unknown>): void => {
    put(container);
    // The parser recurses for each level.
    if (open.push(container) > MAX_DEPTH) throw new TooDeep();
    keys.push('');
  };
  const end = (): void => {
    open.pop();
    keys.pop();
  };
  visit(
    text,
    {
      onObjectBegin: () => begin({}),
      onArrayBegin: () => begin([]),
      onObjectProperty: (key) => {
        keys[keys.length - 1] = key;
      },
      onObjectEnd: end,
      onArrayEnd: end,
      onLiteralValue: put,
      onError: (code, offset) => {
        throw new JsonFault(code, offset);
      },
    },
    { allowTrailingComma: true, allowEmptyContent: true },
  );
  return top[0];
}

function jsonDocument(text: string, value: unknown): Document {
  return { value, lineOf: jsonLines(text) };
}

/** `CommaExpected` → `comma expected`. */
function sentence(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
