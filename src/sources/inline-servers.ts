import { splitWords } from '../base/index.js';
import type { Client, Place } from './client.js';
import { claudeDialect } from './dialects/claude-dialects.js';
import { none } from './expansion.js';
import { under } from './find-entries.js';

const common = {
  path: [],
  format: 'json',
  find: under('mcpServers'),
  dialect: claudeDialect,
  expansion: none,
} satisfies Partial<Place>;

/** Servers that were named at the start, by an argument or by the program that called us. */
export function inlineServers(servers: Readonly<Record<string, unknown>>): Client {
  const text = JSON.stringify({ mcpServers: servers });
  const place: Place = { ...common, scope: 'dynamic', given: { source: 'argument:server', text }, precedence: 10 };
  return { id: 'portolan', name: 'Portolan', places: [place] };
}

/** A hosted connector, as the settings or a list of them name it. */
export interface Connector {
  readonly name: string;
  readonly url: string;
  readonly id: string;
}

/** Connectors of a hosted account: the lowest scope of all. */
export function connectorServers(connectors: readonly Connector[], source: string): Client {
  const entries = connectors.map(({ name, url, id }) => [name, { type: 'claudeai-proxy', url, id }]);
  const text = JSON.stringify({ mcpServers: Object.fromEntries(entries) });
  return {
    id: 'claude-code',
    name: 'Claude Code',
    places: [{ ...common, scope: 'claudeai', given: { source, text }, precedence: 10 }],
  };
}

/** An entry out of one argument: an address, or a command with its words. */
export function entryFrom(argument: string): Readonly<Record<string, unknown>> {
  if (/^wss?:\/\//i.test(argument)) return { type: 'ws', url: argument };
  // Claude's dialect would call a URL without a type a mistake; here it is meant.
  if (/^https?:\/\//i.test(argument)) return { type: 'http', url: argument };
  const [command = '', ...args] = splitWords(argument);
  return { command, args };
}
