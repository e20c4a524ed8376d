import { type ErrorCode, isObject, PortolanError, shellWord } from '../../base/index.js';
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
} from '../runtime/command.js';
import { printJson } from '../runtime/report-failure.js';
import { withTerminalHint } from '../runtime/terminal-hints.js';
import { type Cell, paint, table, visible } from '../runtime/terminal-text.js';
import { type OpenForCommand, withGateway } from '../runtime/with-gateway.js';

const OPTIONS = { ...SCAN_OPTIONS, ...GATEWAY_OPTIONS } as const;

export function inspectCommand(open: OpenForCommand): Command {
  return {
    name: 'inspect',
    group: 'Use tools',
    summary: 'show what a tool does and its arguments',
    usage: 'portolan inspect <server> <tool> [--json]',
    options: OPTIONS,
    words: 'server',
    examples: [
      { line: 'portolan inspect github create_issue', does: 'show its description, its arguments and an example call' },
      { line: 'portolan inspect github create_issue --json', does: 'print the whole schema' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS, { mostWords: 2 });
      const [server, tool] = needed(this, positionals, ['server', 'tool']);
      const options = { ...scanFlags(values), ...gatewayFlags(this, values) };
      const read = () =>
        withGateway(open, options, io, `reading ${server}`, (gateway, { say, signal }) =>
          gateway.ask(
            'command/inspect',
            { server, tool },
            { signal, progress: ({ message }) => say(message ?? `reading ${server}`) },
          ),
        );
      if (values.json) return printJson(async () => (await read()).details, { server, tool }, io);
      const { details, refusal } = await read();
      io.out(paint(io, 'bold', `${visible(details.server)} ${visible(details.tool)}`));
      for (const line of (details.description ?? '').split('\n')) io.out(visible(line));
      if (details.change) io.out(paint(io, 'yellow', `its definition is ${details.change} since it was approved`));
      if (details.hidden) io.out(paint(io, 'yellow', `hidden characters were removed: ${details.hidden.join(', ')}`));
      if (refusal) for (const line of refusalLines(refusal)) io.out(paint(io, 'yellow', line));
      io.out('');
      for (const line of parameterLines(details.inputSchema, io)) io.out(line);
      // No example for a call that would be refused.
      if (refusal) return EXIT.ok;
      io.out('');
      const shown = JSON.stringify(details.example).replaceAll("'", String.raw`'\''`);
      io.out(
        `${paint(io, 'dim', 'try:')} portolan call ${visible(shellWord(server))} ${visible(shellWord(tool))} --args '${visible(shown)}'`,
      );
      return EXIT.ok;
    },
  };
}

function refusalLines(refusal: { code: ErrorCode; message: string; hint?: string }): string[] {
  const { message, hint } = withTerminalHint(new PortolanError(refusal.code, refusal.message, refusal));
  return [visible(message), ...(hint === undefined ? [] : [`  ${visible(hint)}`])];
}

function parameterLines(schema: Readonly<Record<string, unknown>>, io: Io): string[] {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (properties.length === 0) return ['It takes no arguments.'];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const rows = properties.map(([name, property]): Cell[] => {
    const { type, description } = isObject(property) ? property : {};
    return [
      { text: visible(name), style: 'green' },
      { text: typeof type === 'string' ? visible(type) : 'any' },
      { text: required.has(name) ? 'required' : '' },
      { text: typeof description === 'string' ? visible(description.split('\n')[0] ?? '') : '', style: 'dim' },
    ];
  });
  return table(rows, io);
}
