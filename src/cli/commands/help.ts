import { ErrorCode, PortolanError } from '../../base/index.js';
import { COMMAND_GROUPS, type Command, EXIT, flags, type Io, type Option } from '../runtime/command.js';
import { TOPICS, type Topic } from '../runtime/help-topics.js';
import { suggestion } from '../runtime/suggestion.js';
import { columnsOf, definitionList, paint, wrap, wrapUsage } from '../runtime/terminal-text.js';

const OPTIONS = {} as const;
const EXAMPLE_INDENT = 6;
/** Longer lines are hard to read. */
const MAX_PARAGRAPH_COLUMNS = 80;

/** Prints the list of commands, or the page about one command or topic. */
export function helpCommand(all: () => Promise<readonly Command[]>): Command {
  return {
    name: 'help',
    group: 'Discover',
    summary: 'list all commands, or explain one command or topic',
    usage: 'portolan help [<command>|<topic>]',
    options: OPTIONS,
    words: TOPICS.map(({ name }) => name),
    examples: [
      { line: 'portolan help approve', does: 'the flags of a command, with examples' },
      { line: 'portolan help exit-codes', does: 'the page about a topic, here the exit codes' },
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
  // A command and a topic can have the same name: the command comes first.
  const pages = [...(command ? [commandLines(command, io)] : []), ...(topic ? [topicLines(topic, io)] : [])];
  if (pages.length > 0) return pages.flatMap((page, place) => (place === 0 ? page : ['', ...page]));
  throw new PortolanError(ErrorCode.Usage, `portolan has no command or topic "${word}"`, {
    hint: `${suggestion(
      word,
      [...commands, ...TOPICS].map(({ name }) => name),
    )}topics: ${TOPICS.map(({ name }) => name).join(', ')}; for the commands: portolan help`,
  });
}

/** The page about one command, also printed for `--help`. */
export function commandLines({ name, summary, usage, options, examples }: Command, io: Io): string[] {
  const listed = Object.entries(options).filter(([, { isHidden }]) => !isHidden);
  const rows = listed.map(([flag, option]) => ({ term: flagText(flag, option), text: option.about ?? '' }));
  const [head = '', ...more] = wrap(`portolan ${name}: ${summary}`, columnsOf(io));
  return [
    head.replace(`portolan ${name}`, (text) => paint(io, 'bold', text)),
    ...more,
    '',
    ...wrapUsage(usage, columnsOf(io)),
    ...(rows.length > 0 ? ['', 'flags:', ...definitionList(rows, io, { text: 'dim' })] : []),
    '',
    'examples:',
    ...examples.flatMap(({ line, does }) => [
      // Not wrapped, so that it can be copied.
      `  ${paint(io, 'cyan', line)}`,
      ...wrap(does, columnsOf(io) - EXAMPLE_INDENT).map((text) => `      ${paint(io, 'dim', text)}`),
    ]),
  ];
}

/** Paragraphs and the right column of lists are filled to the width of the terminal; other indented lines stay as they are. */
function topicLines({ name, summary, text }: Topic, io: Io): string[] {
  const columns = Math.min(columnsOf(io), MAX_PARAGRAPH_COLUMNS);
  const joined: string[] = [];
  for (const line of text.split('\n')) {
    const last = joined.at(-1);
    if (last !== undefined && continues(last, line)) joined.splice(-1, 1, `${last} ${line.trimStart()}`);
    else joined.push(line);
  }
  const wrapped = joined.flatMap((line) => {
    const label = labelOf(line);
    const [first = '', ...more] = wrap(line.slice(label.length), columns - label.length);
    return [label + first, ...more.map((part) => ' '.repeat(label.length) + part)];
  });
  return [paint(io, 'bold', `${name}: ${summary}`), ...wrapped];
}

/** The indent of a line, with the term of a list. */
function labelOf(line: string): string {
  return /^(?: +(?:\S+(?: \S+)* {2,})?|\d+ {2,})/.exec(line)?.[0] ?? '';
}

/** Whether a line belongs to the paragraph, or to the right column, of the line before it. */
function continues(last: string, line: string): boolean {
  if (last.trim() === '' || line.trim() === '') return false;
  const isColumn = labelOf(last).trim() !== '';
  return isColumn
    ? labelOf(last).length === labelOf(line).length && labelOf(line).trim() === ''
    : labelOf(last) + labelOf(line) === '';
}

/** A flag as it is typed, with its value. */
function flagText(flag: string, { type, short, value }: Option): string {
  const names = `${short === undefined ? '' : `-${short}, `}--${flag}`;
  if (type === 'boolean') return names;
  return `${names} ${typeof value === 'object' ? value.join('|') : (value ?? 'TEXT')}`;
}

function overview(commands: readonly Command[], io: Io): string[] {
  const termWidth = Math.max(...[...commands, ...TOPICS].map(({ name }) => name.length));
  const list = (entries: readonly (Command | Topic)[]) =>
    definitionList(
      entries.map(({ name, summary }) => ({ term: name, text: summary })),
      io,
      { term: 'bold', termWidth },
    );
  return [
    ...wrap('Portolan finds every MCP server on this machine and serves them to every client.', columnsOf(io)),
    '',
    'usage: portolan <command> [flags]',
    ...COMMAND_GROUPS.flatMap((group) => [
      '',
      paint(io, 'bold', group),
      ...list(commands.filter((command) => command.group === group)),
    ]),
    '',
    paint(io, 'bold', 'Topics'),
    ...list(TOPICS),
    '',
    ...wrap('Run portolan help <command> for flags and examples, portolan help <topic> for a topic.', columnsOf(io)),
    ...wrap(
      'Without a command, portolan lists the servers on a terminal, and serves the MCP client that started it otherwise.',
      columnsOf(io),
    ),
  ];
}
