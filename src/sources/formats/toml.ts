import { parse, TomlError } from 'smol-toml';
import { broken, type DocumentPath, MAX_DEPTH, type Parsed } from './document.js';
import { tomlLines } from './toml-lines.js';

/** The size limit of TOML; a hostile file could block the event loop for seconds. */
const MAX_TOML_CHARACTERS = 4 * 1024 * 1024;

export function parseToml(text: string): Parsed {
  if (text.length > MAX_TOML_CHARACTERS) return broken('a TOML file may not be larger than 4 MB', 1);
  try {
    const value = parse(text, { maxDepth: MAX_DEPTH });
    let lines: ReturnType<typeof tomlLines> | undefined;
    const lineOf = (path: DocumentPath) => {
      lines ??= tomlLines(text);
      return lines(path);
    };
    return { kind: 'parsed', document: { value, lineOf } };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = 'syntax error'] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    return broken(`not valid TOML: ${reason}`, error.line);
  }
}
