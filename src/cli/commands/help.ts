import { ErrorCode, PortolanError } from '../../base/index.js';
import { type Command, EXIT, flags, type Io, type Option } from '../runtime/command.js';
import { TOPICS } from '../runtime/help-topics.js';
import { type Cell, paint, table } from '../runtime/terminal-text.js';

const OPTIONS = {} as const;

/** The list of commands, or all there is to know about one of them or about a topic. */
export function helpCommand(all: () => Promise<readonly Command[]>): Command {
  return {
    name: 'help',
    summary: 'show the commands, or more about a command or a topic',
    usage: 'portolan help [<command>|<topic>]',
    options: OPTIONS,
    words: TOPICS.map(({ name }) => name),
    examples: [
      { line: 'portolan help approve', does: 'its flags, and how it is used' },
      { line: 'portolan help exit-codes', does: 'a page about what several commands share' },
    ],
    async run(args, io) {
      const { positionals } = flags(this, args, OPTIONS, { mostWords: 1 });
      const [word] = positionals;
      const commands = await all();
      for (const line of word === undefined ? overview(commands, io) : pageAbout(word, commands, io)) io.out(line);
      return EXIT.ok;
    },
  };
}

function pageAbout(word: string, commands: readonly Command[], io: Io): string[] {
  const command = commands.find(({ name }) => name === word);
  const topic = TOPICS.find(({ name }) => name === word);
  // A word may be both: what to type first, what is behind it after.
  const pages = [
    ...(command ? [commandLines(command, io)] : []),
    ...(topic ? [[paint(io, 'bold', `${topic.name}: ${topic.summary}`), ...topic.text.split('\n')]] : []),
  ];
  if (pages.length > 0) return pages.flatMap((page, place) => (place === 0 ? page : ['', ...page]));
  throw new PortolanError(ErrorCode.Usage, `there is no command and no topic ${word}`, {
    hint: `topics: ${TOPICS.map(({ name }) => name).join(', ')}; portolan help lists the commands`,
  });
}

/** What `--help` says after a command. */
export function commandLines({ name, summary, usage, options, examples }: Command, io: Io): string[] {
  const told = Object.entries(options).filter(([, { isHidden }]) => !isHidden);
  const rows = told.map(([flag, option]): Cell[] => [
    { text: `  ${flagText(flag, option)}` },
    { text: option.about ?? '', style: 'dim' },
  ]);
  return [
    `${paint(io, 'bold', `portolan ${name}`)}: ${summary}`,
    '',
    `usage: ${usage}`,
    ...(rows.length > 0 ? ['', 'flags:', ...table(rows, io)] : []),
    '',
    'examples:',
    ...examples.flatMap(({ line, does }) => [`  ${paint(io, 'cyan', line)}`, `      ${paint(io, 'dim', does)}`]),
  ];
}

/** A flag as it is typed, with what follows it. */
function flagText(flag: string, { type, short, value }: Option): string {
  const names = `${short === undefined ? '' : `-${short}, `}--${flag}`;
  if (type === 'boolean') return names;
  return `${names} ${typeof value === 'object' ? value.join('|') : (value ?? 'TEXT')}`;
}

function overview(commands: readonly Command[], io: Io): string[] {
  const rows = commands.map(({ name, summary }): Cell[] => [
    { text: `  portolan ${name}`, style: 'bold' },
    { text: summary },
  ]);
  const topics = TOPICS.map(({ name, summary }): Cell[] => [{ text: `  ${name}`, style: 'bold' }, { text: summary }]);
  return [
    'Portolan: the chart of every MCP server on this machine, and one small door to all of them.',
    'Alone, portolan shows the chart to a person and serves a client that started it.',
    '',
    ...table(rows, io),
    '',
    'portolan help <command> has flags and examples, portolan help <topic> more about:',
    ...table(topics, io),
  ];
}
