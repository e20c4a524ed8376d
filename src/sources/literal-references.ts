import type { Place } from './client.js';
import { isShell, type Started } from './command-line.js';
import type { Draft } from './dialect.js';
import { none } from './expansion.js';
import { nestedGateway } from './known-gateways.js';
import type { ProblemDraft } from './problem-draft.js';

/** Names beyond these are counted: the message is for one line. */
const MAX_NAMED = 3;
/** `${NAME}`, `${NAME:-default}` and `${env:NAME}`: what people write who expect it to be replaced. */
const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w{0,99})(?::-[^{}]*)?\}/g;

/** Says of an entry in a file in which nothing is replaced that the server will get its references as they stand. */
export function literalReferences(
  draft: Draft,
  client: string,
  place: Place,
  started: readonly Started[],
): ProblemDraft | undefined {
  // What was handed over stands in no file, and of a file that two clients read the other one may well replace it.
  if (place.expansion !== none || place.given || place.borrowed) return undefined;
  if (draft.state === 'inventory-only' || place.state === 'inventory-only') return undefined;
  const { command = '', args = [], env = {}, cwd = '', url = '', headers = {} } = draft;
  const words = fillsIn([command, ...args], started) ? [] : [command, ...args];
  const texts = [...words, ...Object.values(env), cwd, url, ...Object.values(headers)];
  // The name alone: a default may be a secret.
  const names = new Set(texts.flatMap((text) => [...text.matchAll(REFERENCE)].map(([, name = '']) => name)));
  return names.size === 0 ? undefined : notExpanded([...names], client);
}

/** A shell knows variables by itself, and so does mcp-remote: what stands in their words is meant for them. */
function fillsIn(words: readonly string[], started: readonly Started[]): boolean {
  return words.some(isShell) || nestedGateway(started) === 'mcp-remote';
}

function notExpanded(names: readonly string[], client: string): ProblemDraft {
  const shown = names.slice(0, MAX_NAMED).map((name) => `\${${name}}`);
  const more = names.length > MAX_NAMED ? [`${names.length - MAX_NAMED} more`] : [];
  const what = [...shown, ...more].join(', ');
  const stays = names.length === 1 ? 'stays as it is' : 'stay as they are';
  return {
    code: 'reference-not-expanded',
    severity: 'warning',
    message: `${what} ${stays} written, because nothing is replaced in files of ${client}`,
    hint: 'move the entry to a file in which references count, such as .mcp.json of the project or what `portolan add` writes',
  };
}
