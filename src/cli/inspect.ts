import { isObject } from '../base/index.js';
import { CHART_OPTIONS, type Command, chartFlags, EXIT, flags, type Io, needed } from './command.js';
import { type Cell, paint, table, visible } from './text.js';
import { type OpenForCommand, withGateway } from './with-gateway.js';

export function inspectCommand(open: OpenForCommand): Command {
  return {
    name: 'inspect',
    summary: 'show what a tool does and which arguments it takes',
    usage: 'portolan inspect <server> <tool> [--json]',
    options: CHART_OPTIONS,
    words: 'server',
    examples: [
      { line: 'portolan inspect github create_issue', does: 'its description, its arguments and a call to try' },
      { line: 'portolan inspect github create_issue --json', does: 'the whole schema' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, CHART_OPTIONS, { mostWords: 2 });
      const [server, tool] = needed(this, positionals, ['server', 'tool']);
      const details = await withGateway(open, chartFlags(values), io, `reading ${server}`, ({ gateway }) =>
        gateway.getToolDetails(server, tool),
      );
      if (values.json) {
        io.out(JSON.stringify(details, null, 2));
        return EXIT.ok;
      }
      io.out(paint(io, 'bold', `${visible(details.server)} ${visible(details.tool)}`));
      for (const line of (details.description ?? '').split('\n')) io.out(visible(line));
      if (details.change) io.out(paint(io, 'yellow', `its definition is ${details.change} since it was approved`));
      if (details.hidden) io.out(paint(io, 'yellow', `hidden characters were taken out: ${details.hidden.join(', ')}`));
      io.out('');
      for (const line of parameterLines(details.inputSchema, io)) io.out(line);
      const shown = JSON.stringify(details.example).replaceAll("'", String.raw`'\''`);
      io.out(
        `${paint(io, 'dim', 'try:')} portolan call ${visible(server)} ${visible(tool)} --args '${visible(shown)}'`,
      );
      return EXIT.ok;
    },
  };
}

function parameterLines(schema: Readonly<Record<string, unknown>>, io: Io): string[] {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (properties.length === 0) return ['It takes no arguments.', ''];
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
  return [...table(rows, io), ''];
}
