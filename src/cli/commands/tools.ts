import { shellWord } from '../../base/index.js';
import {
  type Command,
  EXIT,
  flags,
  GATEWAY_OPTIONS,
  gatewayFlags,
  needed,
  SCAN_OPTIONS,
  scanFlags,
} from '../runtime/command.js';
import { printJson } from '../runtime/report-failure.js';
import { type Cell, paint, plural, table, visible } from '../runtime/terminal-text.js';
import { type OpenForCommand, withGateway } from '../runtime/with-gateway.js';

const OPTIONS = {
  ...SCAN_OPTIONS,
  ...GATEWAY_OPTIONS,
  all: { type: 'boolean', about: 'also list disabled tools' },
} as const;

export function toolsCommand(open: OpenForCommand): Command {
  return {
    name: 'tools',
    group: 'Use tools',
    summary: 'list the tools of one server',
    usage: 'portolan tools <server> [--all] [--json] [--config FILE|DIR] [--server name=…]',
    options: OPTIONS,
    words: 'server',
    examples: [
      { line: 'portolan tools github', does: 'list its tools, one line each' },
      { line: 'portolan tools github --all', does: 'also list disabled tools' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS, { mostWords: 1 });
      const [server] = needed(this, positionals, ['server']);
      const options = { ...scanFlags(values), ...gatewayFlags(this, values) };
      const read = () =>
        withGateway(open, options, io, `reading ${server}`, (gateway, { say, signal }) =>
          gateway.ask(
            'command/tools',
            { server, includeDisabled: values.all === true },
            { signal, progress: ({ message }) => say(message ?? `reading ${server}`) },
          ),
        );
      if (values.json) return printJson(read, { server }, io);
      const answer = await read();
      if (answer.tools.length === 0) {
        const all =
          values.all === true
            ? ''
            : ` that is enabled; disabled ones: portolan tools ${visible(shellWord(server))} --all`;
        io.out(`${visible(answer.server)} has no tool${all}`);
        return EXIT.ok;
      }
      const rows = answer.tools.map(({ name, summary, enabled, tags, change, hidden }): Cell[] => [
        { text: visible(name), style: enabled ? 'green' : 'dim' },
        { text: [enabled ? '' : 'off', change ?? '', hidden ? 'hidden text' : '', ...tags].filter(Boolean).join(' ') },
        { text: visible(summary), style: 'dim' },
      ]);
      const head = ['TOOL', 'MARKS', 'SUMMARY'].map((text): Cell => ({ text, style: 'bold' }));
      for (const line of table([head, ...rows], io)) io.out(line);
      io.out(
        paint(
          io,
          'dim',
          `${plural(answer.tools.length, 'tool')} · portolan inspect ${visible(shellWord(server))} <tool>`,
        ),
      );
      return EXIT.ok;
    },
  };
}
