import { ErrorCode, isObject, PortolanError, readJson } from '../../base/index.js';
import type { Progress } from '../../model/index.js';
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
import { exitOf, failureJson, failureText } from '../runtime/report-failure.js';
import { visible } from '../runtime/terminal-text.js';
import { type OpenForCommand, withGateway } from '../runtime/with-gateway.js';

const { json, config, client, server: more } = SCAN_OPTIONS;
const OPTIONS = {
  json,
  config,
  client,
  server: more,
  args: { type: 'string', value: 'JSON', about: 'all arguments as one JSON object' },
  ...GATEWAY_OPTIONS,
} as const;

export function callCommand(open: OpenForCommand): Command {
  return {
    name: 'call',
    group: 'Use tools',
    summary: 'call a tool and print its result',
    usage: 'portolan call <server> <tool> [--args JSON | key=value …] [--json]',
    options: OPTIONS,
    words: 'server',
    examples: [
      { line: 'portolan call weather get_forecast city=Oslo', does: 'pass arguments as key=value' },
      {
        line: `portolan call orders list_orders --args '{"status":"open"}' --json`,
        does: 'pass arguments as JSON and print the whole result',
      },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS);
      const [server, tool, ...pairs] = needed(this, positionals, ['server', 'tool']);
      if (values.args !== undefined && pairs.length > 0) throw usageError(this, 'takes --args or key=value, not both');
      try {
        const result = await withGateway(
          open,
          { ...scanFlags(values), ...gatewayFlags(this, values) },
          io,
          `calling ${server} ${tool}`,
          async (gateway, { say, signal }) => {
            const context = { signal, progress: (step: Progress) => say(`${server} ${tool}: ${progressText(step)}`) };
            const details = () => gateway.ask('command/inspect', { server, tool }, context);
            const schema =
              pairs.length === 0 ? {} : await details().then((found) => found.details.inputSchema, unlessRefused);
            const toolArguments = values.args === undefined ? fromPairs(pairs, schema) : fromJson(values.args);
            return gateway.ask('command/call', { server, tool, arguments: toolArguments }, context);
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
        if (values.json) io.out(failureJson(error, { server, tool }));
        else io.err(failureText(error, io));
        // A shutdown signal has its own exit code; every other outcome of a call is a failure.
        return error.code === ErrorCode.Cancelled ? exitOf(error) : EXIT.failed;
      }
    },
  };
}

function progressText({ progress, total, message }: Progress): string {
  if (total !== undefined) return `${message ?? ''} ${progress}/${total}`.trim();
  return message ?? String(progress);
}

/** Errors that the call itself reports again, so that a refused call is in the audit log. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.ServerNotFound,
  ErrorCode.ToolNotFound,
  ErrorCode.ServerNotApproved,
  ErrorCode.ServerBlocked,
  ErrorCode.ToolDisabled,
]);

function unlessRefused(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof PortolanError && REFUSALS.has(error.code)) return {};
  throw error;
}

/** A result with `isError` is a failure, also for a script that reads only `success` and `error`. */
function refusal({ content }: Readonly<Record<string, unknown>>, server: string, tool: string) {
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  const message = texts.join('\n') || 'The tool failed without a message.';
  return { code: ErrorCode.ToolExecutionError, message, server, tool };
}

/** Prints text content as it is, and other content by kind and size. */
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
    const value = readJson(text);
    if (isObject(value)) return value;
  } catch {
    // reported below
  }
  throw new PortolanError(ErrorCode.Usage, '--args is not a JSON object', { hint: `write --args '{"key": "value"}'` });
}

/** Parses `key=value`. The value is JSON unless the schema has the type string. */
function fromPairs(pairs: readonly string[], schema: Readonly<Record<string, unknown>>): unknown {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const members = pairs.map((pair) => {
    const equals = pair.indexOf('=');
    if (equals < 1)
      throw new PortolanError(ErrorCode.Usage, `"${pair}" is not of the form key=value`, {
        hint: 'write key=value, or --args JSON',
      });
    const [key, text] = [pair.slice(0, equals), pair.slice(equals + 1)];
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return `${JSON.stringify(key)}:${asJson(text, isObject(property) ? property.type : undefined)}`;
  });
  return readJson(`{${members.join(',')}}`);
}

function asJson(text: string, type: unknown): string {
  if (type === 'string') return JSON.stringify(text);
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}
