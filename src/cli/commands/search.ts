import type { DiscoverOptions } from '../../discovery/index.js';
import {
  type Command,
  EXIT,
  flags,
  GATEWAY_OPTIONS,
  gatewayFlags,
  type Io,
  needed,
  SCAN_OPTIONS,
  scanFlags,
  usageError,
} from '../runtime/command.js';
import { noServerLines } from '../runtime/no-servers.js';
import { printJson } from '../runtime/report-failure.js';
import { paint, plural, visible } from '../runtime/terminal-text.js';
import { type OpenForCommand, withGateway } from '../runtime/with-gateway.js';
import { searchAction } from './search-actions.js';

const { json, config, client } = SCAN_OPTIONS;
const OPTIONS = {
  json,
  config,
  client,
  server: { type: 'string', value: 'SERVER', about: 'search only this server' },
  limit: { type: 'string', value: 'N', about: 'maximum number of results, 1 to 999' },
  explain: { type: 'boolean', about: 'show the shares of words, semantics, use and server in each score' },
  forget: { type: 'boolean', about: 'forget what searches in this project learned from calls' },
  all: { type: 'boolean', about: 'with --forget: in every project' },
  'install-model': { type: 'boolean', about: 'install the optional model (32 MB), which also finds tools by meaning' },
  'remove-model': { type: 'boolean', about: 'remove the model and all that it computed' },
  ...GATEWAY_OPTIONS,
} as const;

const MAX_NAMES_SHOWN = 5;

export function searchCommand(open: OpenForCommand, machine: DiscoverOptions = {}): Command {
  return {
    name: 'search',
    group: 'Use tools',
    summary: 'find tools by what they do, across all servers',
    usage:
      'portolan search <need>… [--server NAME] [--limit N] [--explain] [--json] | --forget [--all] | --install-model | --remove-model',
    options: OPTIONS,
    examples: [
      { line: 'portolan search "read a file"', does: 'list matching tools, best first' },
      { line: 'portolan search "open issues" "send a message" --limit 3', does: 'search for two needs at once' },
      { line: 'portolan search --install-model', does: 'also find tools that share no word with the need' },
      { line: 'portolan search --forget', does: 'forget what was learned from calls in this project' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS);
      const action = searchAction(this, values, positionals);
      if (action) return action(machine, values, io);
      needed(this, positionals, ['need']);
      const { server, limit, explain, ...scan } = values;
      const options = { ...scanFlags(scan), ...gatewayFlags(this, values) };
      const most = limited(limit, this);
      const read = () =>
        withGateway(open, options, io, 'searching', async (gateway, { signal }) => {
          const params = {
            query: positionals,
            ...(server !== undefined && { server }),
            ...{ ...most, ...(explain && { loadsModel: true }) },
          };
          const found = await gateway.ask('command/search', params, { signal });
          const count =
            found.answer.results.length > 0 ? 1 : (await gateway.ask('command/servers', {}, { signal })).count;
          return { ...found, none: noServerLines({ servers: { length: count } }, scanFlags(scan)) };
        });
      if (values.json) return printJson(async () => (await read()).answer, {}, io);
      const { answer, waiting, none } = await read();
      for (const result of answer.results) {
        const name = `${visible(result.server)} ${visible(result.tool)}`;
        const weak = result.weak ? paint(io, 'dim', ' weak') : '';
        io.out(`${result.relevance.toFixed(2)}  ${marked(name, result.why, io)}${weak}`);
        io.out(`      ${marked(visible(result.summary), result.why, io)}`);
        if (explain) io.out(`      ${paint(io, 'dim', sharesOf(result.parts))}`);
      }
      const [best] = answer.results;
      for (const line of none) io.out(line);
      if (!best && none.length === 0)
        io.out(server === undefined ? 'No tool matches.' : `No tool of ${visible(server)} matches.`);
      if (waiting.length > 0 && (!best || best.weak)) io.out(paint(io, 'yellow', notSearched(waiting)));
      for (const name of answer.pending ?? []) io.out(paint(io, 'dim', `${visible(name)} is still being read`));
      for (const failed of answer.failed ?? [])
        io.err(paint(io, 'yellow', `${visible(failed.server)} was not searched: ${visible(failed.error)}`));
      if (answer.severalNeeds)
        io.out(
          paint(
            io,
            'dim',
            'the query names several needs: give each in its own quotes to find the best tools for each',
          ),
        );
      if (answer.results.length > 0) io.out(paint(io, 'dim', plural(answer.results.length, 'tool')));
      return EXIT.ok;
    },
  };
}

/** A server that waits for approval may have the wanted tool. */
function notSearched(waiting: readonly string[]): string {
  const [wait, were] = waiting.length === 1 ? ['server waits', 'was'] : ['servers wait', 'were'];
  const more = waiting.length > MAX_NAMES_SHOWN ? ', …' : '';
  const names = `${waiting.slice(0, MAX_NAMES_SHOWN).map(visible).join(', ')}${more}`;
  return `${waiting.length} ${wait} for your approval and ${were} not searched: ${names} · portolan approve`;
}

function limited(text: string | undefined, command: Command): { limit?: number } {
  if (text === undefined) return {};
  if (/^[1-9]\d{0,2}$/.test(text)) return { limit: Number(text) };
  throw usageError(command, `needs a number from 1 to 999 after --limit, not "${text}"`);
}

function sharesOf(parts: Readonly<Record<'words' | 'semantics' | 'use' | 'server', number>>): string {
  const { words, semantics, use, server } = parts;
  const shares = Object.entries({ words, semantics, use, server });
  return shares.map(([name, share]) => `${name} ${Math.round(100 * share)} %`).join(' · ');
}

/** Highlights the words that matched. */
function marked(text: string, words: readonly string[], io: Io): string {
  const wanted = new Set(words.map((word) => word.toLowerCase()));
  return text
    .split(/(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])(?![\p{L}\p{N}])/u)
    .map((part) => (wanted.has(part.toLowerCase()) ? paint(io, 'green', part) : part))
    .join('');
}
