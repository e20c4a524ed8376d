import { ErrorCode, PortolanError } from '../base/index.js';
import { CHART_OPTIONS, type Command, chartFlags, EXIT, flags, type Io, needed } from './command.js';
import { paint, plural, visible } from './text.js';
import { type OpenForCommand, withGateway } from './with-gateway.js';

const { json, config, client } = CHART_OPTIONS;
const OPTIONS = {
  json,
  config,
  client,
  server: { type: 'string', value: 'SERVER', about: 'only in this server' },
  limit: { type: 'string', value: 'N', about: 'at most so many, 1 to 999' },
} as const;

export function searchCommand(open: OpenForCommand): Command {
  return {
    name: 'search',
    summary: 'find tools by what they do, over every server; several needs: one argument each',
    usage: 'portolan search <need>… [--server NAME] [--limit N] [--json]',
    options: OPTIONS,
    examples: [
      { line: 'portolan search "read a file"', does: 'the tools that fit, best first' },
      { line: 'portolan search "open issues" "send a message" --limit 3', does: 'two needs at once' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS);
      needed(this, positionals, ['need']);
      const { server, limit, ...chart } = values;
      const options = { ...(server !== undefined && { server }), ...limited(limit, this.usage) };
      const answer = await withGateway(open, chartFlags(chart), io, 'searching', ({ gateway }) =>
        gateway.searchTools(positionals, options, {
          client: 'portolan search',
          signal: new AbortController().signal,
        }),
      );
      if (values.json) {
        io.out(JSON.stringify(answer, null, 2));
        return EXIT.ok;
      }
      for (const result of answer.results) {
        const name = `${visible(result.server)} ${visible(result.tool)}`;
        const weak = result.weak ? paint(io, 'dim', ' weak') : '';
        io.out(`${result.relevance.toFixed(2)}  ${marked(name, result.why, io)}${weak}`);
        io.out(`      ${marked(visible(result.summary), result.why, io)}`);
      }
      if (answer.results.length === 0) io.out('nothing here does that');
      for (const name of answer.pending ?? []) io.out(paint(io, 'dim', `${visible(name)} is still being read`));
      for (const failed of answer.failed ?? [])
        io.err(paint(io, 'yellow', `${visible(failed.server)} could not be read: ${visible(failed.error)}`));
      if (answer.results.length > 0) io.out(paint(io, 'dim', plural(answer.results.length, 'tool')));
      return EXIT.ok;
    },
  };
}

function limited(text: string | undefined, usage: string): { limit?: number } {
  if (text === undefined) return {};
  if (/^[1-9]\d{0,2}$/.test(text)) return { limit: Number(text) };
  throw new PortolanError(ErrorCode.Usage, `--limit ${text} is no number from 1 to 999`, { hint: `usage: ${usage}` });
}

/** The words for which a tool was found, where they stand in its text. */
function marked(text: string, words: readonly string[], io: Io): string {
  const wanted = new Set(words.map((word) => word.toLowerCase()));
  return text
    .split(/(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])(?![\p{L}\p{N}])/u)
    .map((part) => (wanted.has(part.toLowerCase()) ? paint(io, 'green', part) : part))
    .join('');
}
