import type { Place } from './client.js';
import { isShell, type Started } from './command-line.js';
import type { Draft } from './dialect.js';
import { none } from './expansion.js';
import { nestedGateway } from './known-gateways.js';
import type { ProblemDraft } from './problem-draft.js';

/** Further names are only counted, to keep the message on one line. */
const MAX_NAMED = 3;
/** `${NAME}`, `${NAME:-default}` and `${env:NAME}`: references that people expect to be expanded. */
const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w{0,99})(?::-[^{}]*)?\}/g;

/** Warns that the server will get its references unexpanded, if the file does not support them. */
export function literalReferences(
  draft: Draft,
  client: string,
  place: Place,
  started: readonly Started[],
): ProblemDraft | undefined {
  // An entry from the command line is in no file, and a file shared with another client may be expanded by that client.
  if (place.expansion !== none || place.given || place.borrowed) return undefined;
  if (draft.state === 'inventory-only' || place.state === 'inventory-only') return undefined;
  const { command = '', args = [], env = {}, cwd = '', url = '', headers = {} } = draft;
  const words = fillsIn([command, ...args], started) ? [] : [command, ...args];
  const texts = [...words, ...Object.values(env), cwd, url, ...Object.values(headers)];
  // Only the name, because the default may be a secret.
  const names = new Set(texts.flatMap((text) => [...text.matchAll(REFERENCE)].map(([, name = '']) => name)));
  return names.size === 0 ? undefined : notExpanded([...names], client);
}

/** Shells and mcp-remote expand variables themselves, so references in their arguments are intended. */
function fillsIn(words: readonly string[], started: readonly Started[]): boolean {
  return words.some(isShell) || nestedGateway(started) === 'mcp-remote';
}

function notExpanded(names: readonly string[], client: string): ProblemDraft {
  const shown = names.slice(0, MAX_NAMED).map((name) => `\${${name}}`);
  const more = names.length > MAX_NAMED ? [`${names.length - MAX_NAMED} more`] : [];
  const what = [...shown, ...more].join(', ');
  const verb = names.length === 1 ? 'is' : 'are';
  return {
    code: 'reference-not-expanded',
    severity: 'warning',
    message: `${what} ${verb} not expanded, because files of ${client} do not support references`,
    hint: 'move the entry to a file that supports references, such as .mcp.json of the project, or add it with `portolan add`',
  };
}
