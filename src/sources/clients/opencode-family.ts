import type { Place } from '../client.js';
import { opencodeDialect } from '../dialects/agents.js';
import { expansion, plainEnv, plainFile } from '../expansion.js';
import { at, isFields } from '../fields.js';
import { type Finder, membersOf } from '../find.js';
import { type Host, variable } from '../host.js';

/** `mcp`, or `mcp.servers` in the second generation, told by what is in it. */
const opencodeServers: Finder = (root) => {
  const nested = at(root, 'mcp', 'servers');
  const isSecond = isFields(nested) && Object.values(nested).every((entry) => isFields(entry));
  const isServer = isFields(nested) && typeof nested.type === 'string';
  return isSecond && !isServer ? membersOf(nested, ['mcp', 'servers']) : membersOf(at(root, 'mcp'), ['mcp']);
};

const STRING_COMMENT_OR_REFERENCE = /"(?:[^"\\]|\\[\s\S])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\{env:([^{}]+)\}/g;

/**
 * References are replaced in the text before it is parsed, so they may also stand where JSON wants a number or a flag.
 * Those are filled in here; the ones inside strings keep their written form and are expanded afterwards.
 */
export function fillBareReferences(text: string, host: Host): string {
  if (!text.includes('{env:')) return text;
  return text.replaceAll(STRING_COMMENT_OR_REFERENCE, (whole, name: string | undefined) =>
    name === undefined ? whole : (variable(host, name.trim()) ?? ''),
  );
}

/** What OpenCode and the programs made from it share. */
export const opencodePlace = {
  format: 'json',
  find: opencodeServers,
  dialect: opencodeDialect,
  expansion: expansion([plainEnv, plainFile], {
    fields: ['command', 'args', 'env', 'cwd', 'url', 'headers'],
    unset: 'empty',
  }),
  prepare: fillBareReferences,
} satisfies Partial<Place>;
