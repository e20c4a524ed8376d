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

/** Servers from the command line or from the program that uses the library. */
export function inlineServers(servers: Readonly<Record<string, unknown>>): Client {
  const text = JSON.stringify({ mcpServers: servers });
  const place: Place = { ...common, scope: 'dynamic', given: { source: 'argument:server', text }, precedence: 10 };
  return { id: 'portolan', name: 'Portolan', places: [place] };
}

/** A hosted connector, as named in the settings or in a list of connectors. */
export interface Connector {
  readonly name: string;
  readonly url: string;
  readonly id: string;
}

/** Hosted connectors, the scope with the lowest precedence. */
export function connectorServers(connectors: readonly Connector[], source: string): Client {
  const entries = connectors.map(({ name, url, id }) => [name, { type: 'claudeai-proxy', url, id }]);
  const text = JSON.stringify({ mcpServers: Object.fromEntries(entries) });
  return {
    id: 'claude-code',
    name: 'Claude Code',
    places: [{ ...common, scope: 'claudeai', given: { source, text }, precedence: 10 }],
  };
}

/** An entry from one argument: a URL, or a command line. */
export function entryFrom(argument: string): Readonly<Record<string, unknown>> {
  if (/^wss?:\/\//i.test(argument)) return { type: 'ws', url: argument };
  // The dialect of Claude Code would report a URL without a type as an error.
  if (/^https?:\/\//i.test(argument)) return { type: 'http', url: argument };
  const [command = '', ...args] = splitWords(argument);
  return { command, args };
}
