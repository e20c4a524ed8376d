import type { Discovery } from '../../discovery/index.js';
import { knownCatalog } from '../known-tools.js';
import { movableStarts } from './self-started.js';

/** The size of the six tools that a client is offered instead (tests/gateway/meta-tools.test.ts). */
const OWN_TOKENS = 600;
/** JSON has about this many characters per token in the tokenizers of current models. */
const CHARACTERS_PER_TOKEN = 4;

interface ClientSavings {
  readonly client: string;
  /** The servers that the client starts or connects to by itself. */
  readonly servers: number;
  readonly processes: number;
  /** The tools of those servers that are in the catalog. */
  readonly tools: number;
  /** Tokens of tool definitions that would no longer be in each conversation. */
  readonly tokens: number;
  /** Servers whose tools have not been read yet, so they are not counted. */
  readonly unread: readonly string[];
}

export interface TakeOverSavings {
  readonly clients: readonly ClientSavings[];
  /** Processes while all clients run: now, and at most after a take-over, when each server runs once. */
  readonly processes: { readonly now: number; readonly after: number };
}

/** What a take-over would save, from the tool lists in the catalog. Nothing is started. */
export function takeOverSavings(discovery: Discovery): TakeOverSavings {
  const catalog = knownCatalog(discovery);
  const sizes = new Map(
    catalog
      .entries()
      .map(({ server, tools }) => [
        server.name,
        tools && { count: tools.length, tokens: tools.reduce((sum, { tool }) => sum + tokensOf(tool), 0) },
      ]),
  );
  const started = new Set(movableStarts(discovery));
  const rows = discovery.servers.flatMap(({ name, duplicates, shadowed }) =>
    [...duplicates, ...shadowed].filter((one) => started.has(one)).map((one) => ({ name, definition: one })),
  );
  const clients = [...new Set(rows.map(({ definition }) => definition.client))];
  return {
    clients: clients.map((client) => {
      const own = rows.filter(({ definition }) => definition.client === client);
      const names = [...new Set(own.map(({ name }) => name))];
      const known = names.flatMap((name) => sizes.get(name) ?? []);
      const tokens = known.reduce((sum, one) => sum + one.tokens, 0);
      return {
        client,
        servers: names.length,
        processes: processesOf(own),
        tools: known.reduce((sum, { count }) => sum + count, 0),
        tokens: Math.max(0, tokens - OWN_TOKENS),
        unread: names.filter((name) => !sizes.get(name)),
      };
    }),
    processes: {
      now: clients.reduce(
        (sum, client) => sum + processesOf(rows.filter((row) => row.definition.client === client)),
        0,
      ),
      after: processesOf(rows),
    },
  };
}

type ToolText = { readonly name: string; readonly description?: unknown; readonly inputSchema: unknown };

function processesOf(
  rows: readonly { readonly name: string; readonly definition: { readonly transport: string } }[],
): number {
  return new Set(rows.filter(({ definition }) => definition.transport === 'stdio').map(({ name }) => name)).size;
}

function tokensOf({ name, description, inputSchema }: ToolText): number {
  return Math.ceil(JSON.stringify({ name, description, input_schema: inputSchema }).length / CHARACTERS_PER_TOKEN);
}
