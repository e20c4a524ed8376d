import { isObject, type PortolanError, shellWord, unlessAborted } from '../../base/index.js';
import { type Command, EXIT, flags, type Io, needed, SCAN_OPTIONS, scanFlags } from '../runtime/command.js';
import { printJson } from '../runtime/report-failure.js';
import { withTerminalHint } from '../runtime/terminal-hints.js';
import { type Cell, paint, table, visible } from '../runtime/terminal-text.js';
import { gatewayName, type OpenForCommand, withGateway } from '../runtime/with-gateway.js';

export function inspectCommand(open: OpenForCommand): Command {
  return {
    name: 'inspect',
    group: 'Use tools',
    summary: 'show what a tool does and its arguments',
    usage: 'portolan inspect <server> <tool> [--json]',
    options: SCAN_OPTIONS,
    words: 'server',
    examples: [
      { line: 'portolan inspect github create_issue', does: 'show its description, its arguments and an example call' },
      { line: 'portolan inspect github create_issue --json', does: 'print the whole schema' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, SCAN_OPTIONS, { mostWords: 2 });
      const [server, tool] = needed(this, positionals, ['server', 'tool']);
      const read = () =>
        withGateway(open, scanFlags(values), io, `reading ${server}`, async (running, { signal }) => {
          const [{ gateway }, name] = [running, gatewayName(server, running)];
          const details = await unlessAborted(gateway.getToolDetails(name, tool), signal);
          return { details, refusal: gateway.refusalOf(name, tool) };
        });
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

function refusalLines(refusal: PortolanError): string[] {
  const { message, hint } = withTerminalHint(refusal);
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
