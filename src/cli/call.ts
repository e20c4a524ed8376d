import { ErrorCode, isObject, PortolanError } from '../base/index.js';
import { CHART_OPTIONS, type Command, chartFlags, EXIT, flags, type Io, needed } from './command.js';
import { visible } from './text.js';
import { type OpenForCommand, withGateway } from './with-gateway.js';

const { json, config, client, server: more } = CHART_OPTIONS;
const OPTIONS = {
  json,
  config,
  client,
  server: more,
  args: { type: 'string', value: 'JSON', about: 'the arguments as one JSON object' },
} as const;

export function callCommand(open: OpenForCommand): Command {
  return {
    name: 'call',
    summary: 'call a tool and print what it gives; ends with 1 if it fails',
    usage: 'portolan call <server> <tool> [--args JSON | key=value …] [--json]',
    options: OPTIONS,
    words: 'server',
    examples: [
      { line: 'portolan call weather get_forecast city=Oslo', does: 'arguments as key=value' },
      {
        line: `portolan call orders list_orders --args '{"status":"open"}' --json`,
        does: 'arguments as JSON, and the whole result',
      },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS);
      const [server, tool, ...pairs] = needed(this, positionals, ['server', 'tool']);
      if (values.args !== undefined && pairs.length > 0)
        throw new PortolanError(ErrorCode.Usage, '--args and key=value at once', { hint: `usage: ${this.usage}` });
      try {
        const result = await withGateway(
          open,
          chartFlags(values),
          io,
          `calling ${server} ${tool}`,
          async (running, say) => {
            const { gateway } = running;
            const schema = pairs.length === 0 ? {} : (await gateway.getToolDetails(server, tool)).inputSchema;
            const toolArguments = values.args === undefined ? fromPairs(pairs, schema) : fromJson(values.args);
            const { value } = await gateway.executeTool(server, tool, toolArguments, {
              client: 'portolan call',
              signal: new AbortController().signal,
              progress: ({ progress, total, message }) =>
                say(`${server} ${tool}: ${message ?? ''} ${progress}${total === undefined ? '' : `/${total}`}`),
            });
            return value;
          },
        );
        const isRefused = result.isError === true;
        if (!values.json) print(result, io);
        else if (isRefused)
          io.out(JSON.stringify({ success: false, error: refusal(result, server, tool), result }, null, 2));
        else io.out(JSON.stringify({ success: true, result }, null, 2));
        return isRefused ? EXIT.failed : EXIT.ok;
      } catch (error) {
        if (!(error instanceof PortolanError)) throw error;
        if (!values.json) {
          io.err(`${error.code}: ${visible(error.message)}${error.hint ? `\n  ${visible(error.hint)}` : ''}`);
          return EXIT.failed;
        }
        const { code, message, hint } = error;
        io.out(
          JSON.stringify({ success: false, error: { code, message, server, tool, ...(hint && { hint }) } }, null, 2),
        );
        return EXIT.failed;
      }
    },
  };
}

/** A tool that says it failed has failed: who reads only `success` and `error` must not take it for done. */
function refusal({ content }: Readonly<Record<string, unknown>>, server: string, tool: string) {
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const said = blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  const message = said.join('\n') || 'the tool says that it failed, and not why';
  return { code: ErrorCode.ToolExecutionError, message, server, tool };
}

/** What a tool gave, as a person reads it: text as it is, the rest by kind and size. */
function print(result: Readonly<Record<string, unknown>>, io: Io): void {
  const blocks = Array.isArray(result.content) ? result.content.filter(isObject) : [];
  for (const { type, text, data, mimeType, ...block } of blocks) {
    if (type === 'text' && typeof text === 'string') for (const line of text.split('\n')) io.out(visible(line));
    else if (typeof data === 'string')
      io.out(
        `[${visible(String(type))} ${visible(String(mimeType))}, ${data.length} characters of base64; --json shows them]`,
      );
    else io.out(visible(JSON.stringify({ type, ...block })));
  }
  if (blocks.length === 0) io.out(visible(JSON.stringify(result.structuredContent ?? result)));
}

function fromJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // told below
  }
  throw new PortolanError(ErrorCode.Usage, '--args is not a JSON object', { hint: `write --args '{"key": "value"}'` });
}

/** `key=value`, where a value that the schema does not want as text is read as JSON. */
function fromPairs(pairs: readonly string[], schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 1)
        throw new PortolanError(ErrorCode.Usage, `${pair} is no argument`, { hint: 'write key=value, or --args JSON' });
      const [key, text] = [pair.slice(0, equals), pair.slice(equals + 1)];
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, typed(text, isObject(property) ? property.type : undefined)];
    }),
  );
}

function typed(text: string, type: unknown): unknown {
  if (type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
