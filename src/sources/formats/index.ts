import { assertNever } from '../../base/index.js';
import { broken, type Format, isTooDeep, type Parsed, TooDeep } from './document.js';
import { parseJson, parseJson5 } from './json.js';

/** Parses a file of another program. Whatever is in it, the answer is a value: a parser that gives up is a broken file. */
export async function parseText(text: string, format: Format): Promise<Parsed> {
  try {
    // A mark that whoever wrote the file put before it; the disk's own reader takes it off, others may not.
    const parsed = await parseAs(text.startsWith('\uFEFF') ? text.slice(1) : text, format);
    if (parsed.kind === 'parsed' && isTooDeep([parsed.document.value], partsOf)) throw new TooDeep();
    return parsed;
  } catch (error) {
    return broken(`cannot be parsed: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`, 1);
  }
}

function partsOf(value: unknown): Iterable<unknown> {
  const isPart = (part: unknown) => typeof part === 'object' && part !== null;
  if (Array.isArray(value)) return value.filter(isPart);
  return isPart(value) ? Object.values(Object(value)).filter(isPart) : [];
}

async function parseAs(text: string, format: Format): Promise<Parsed> {
  switch (format) {
    case 'json':
      return parseJson(text);
    case 'json5':
      return parseJson5(text);
    case 'toml':
      return (await import('./toml.js')).parseToml(text);
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
