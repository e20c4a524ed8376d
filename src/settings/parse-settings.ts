import type { Node } from 'jsonc-parser';

/** Longer text is not a settings file, and the parser would take seconds. */
const MAX_CHARACTERS = 1024 * 1024;

export type ParsedSettings =
  | { readonly kind: 'parsed'; readonly value: unknown; lineOf(path: readonly PropertyKey[]): number | undefined }
  | { readonly kind: 'broken'; readonly message: string; readonly line?: number };

/** Parses JSON with comments and trailing commas. Never throws. */
export async function parseSettingsJson(text: string): Promise<ParsedSettings> {
  if (text.trim() === '') return { kind: 'parsed', value: {}, lineOf: () => undefined };
  if (text.length > MAX_CHARACTERS) return { kind: 'broken', message: 'it is larger than 1 MB' };
  try {
    return await parseText(text);
  } catch (error) {
    // Parsers are recursive: thousands of nested levels cause a RangeError.
    if (!(error instanceof RangeError)) throw error;
    return { kind: 'broken', message: 'it is nested too deep' };
  }
}

async function parseText(text: string): Promise<ParsedSettings> {
  const { findNodeAtLocation, parseTree, printParseErrorCode } = await import('jsonc-parser');
  const errors: import('jsonc-parser').ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error) {
    const what = printParseErrorCode(error.error)
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase();
    return { kind: 'broken', message: `not valid JSON: ${what}`, line: lineAt(text, error.offset) };
  }
  return {
    kind: 'parsed',
    value: tree ? toValue(tree) : {},
    lineOf(path) {
      const keys = path.filter((key): key is string | number => typeof key !== 'symbol');
      const node = tree && findNodeAtLocation(tree, keys);
      const at = node?.parent?.type === 'property' ? node.parent : node;
      return at && lineAt(text, at.offset);
    },
  };
}

/** Unlike `getNodeValue`, treats `__proto__` as an ordinary key. */
function toValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(toValue);
  if (node.type !== 'object') return node.value;
  const result: Record<string, unknown> = {};
  for (const { children = [] } of node.children ?? []) {
    const [key, value] = children;
    if (!key || !value) continue;
    Object.defineProperty(result, String(key.value), {
      ...{ value: toValue(value), configurable: true, enumerable: true, writable: true },
    });
  }
  return result;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
