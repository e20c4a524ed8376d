import { assertNever } from '../../base/index.js';
import { broken, type Format, MAX_DEPTH, type Parsed, TooDeep } from './document.js';
import { parseJson, parseJson5 } from './json.js';

/** Parses a file of another program. It never throws: if the parser fails, the result is a broken file. */
export async function parseText(text: string, format: Format): Promise<Parsed> {
  try {
    // A byte order mark. The file reader removes it, but other callers may not.
    const parsed = await parseAs(text.startsWith('\uFEFF') ? text.slice(1) : text, format);
    if (parsed.kind === 'parsed' && goesDeeper(parsed.document.value, MAX_DEPTH)) throw new TooDeep();
    return parsed;
  } catch (error) {
    return broken(`cannot be parsed: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`, 1);
  }
}

/** Avoids lists and closures, because it visits every value in every file. */
function goesDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof part === 'object' && goesDeeper(part, levels - 1)) return true;
  }
  return false;
}

async function parseAs(text: string, format: Format): Promise<Parsed> {
  switch (format) {
    case 'json':
      return parseJson(text);
    case 'json5':
      return parseJson5(text);
    case 'toml':
      return (await import('./small-parsers.js')).parseToml(text);
    case 'yaml':
      return (await import('./yaml.js')).parseYaml(text);
    case 'front-matter':
      return (await import('./yaml.js')).parseFrontMatter(text);
    case 'text':
      return { kind: 'parsed', document: { value: text, lineOf: ([line]) => (typeof line === 'number' ? line : 1) } };
    default:
      return assertNever(format);
  }
}
