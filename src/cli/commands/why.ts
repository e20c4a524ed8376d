import { maskUrl } from '../../base/index.js';
import type { Discovery, scanMachine } from '../../discovery/index.js';
import { maskServer, writtenBy } from '../../model/index.js';
import {
  type DefinitionOutcome,
  type Explanation,
  explain,
  launchDetailsOf,
  launchText,
  type MissingValue,
} from '../../use-cases/index.js';
import { type Command, EXIT, flags, type Io, needed, SCAN_OPTIONS, scanFlags } from '../runtime/command.js';
import { unknownServer } from '../runtime/no-servers.js';
import { printJson } from '../runtime/report-failure.js';
import { type Cell, paint, placeText, shortPath, table, visible } from '../runtime/terminal-text.js';

const OPTIONS = {
  ...SCAN_OPTIONS,
  'show-secrets': { type: 'boolean', about: 'do not mask secrets' },
} as const;

export function whyCommand(discover: typeof scanMachine): Command {
  return {
    name: 'why',
    group: 'Discover',
    summary: 'explain one server: its definitions, policy and command',
    usage: 'portolan why <server> [--json] [--config FILE|DIR] [--show-secrets]',
    options: OPTIONS,
    words: 'server',
    examples: [{ line: 'portolan why github', does: 'list its definitions, and which one is active' }],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS, { mostWords: 1 });
      const [name] = needed(this, positionals, ['server']);
      const read = async () => {
        const discovery = await discover(scanFlags(values));
        const explanation = explain(discovery, name);
        if (!explanation) throw unknownServer(name, discovery, scanFlags(values));
        return { discovery, explanation };
      };
      if (values.json)
        return printJson(
          async () => {
            const { discovery, explanation } = await read();
            return values['show-secrets'] ? explanation : masked(explanation, discovery);
          },
          { server: name },
          io,
        );
      const { discovery, explanation } = await read();
      for (const line of explanationLines(explanation, name, discovery, io)) io.out(line);
      return EXIT.ok;
    },
  };
}

function masked({ server, ...rest }: Explanation, { definitions }: Discovery): Explanation {
  return { server: server && maskServer(server, writtenBy(definitions)(server)), ...rest };
}

function explanationLines(explanation: Explanation, name: string, discovery: Discovery, io: Io): string[] {
  const { server, definitions, verdict, approval, changes, files, notes, tools, needs } = explanation;
  const chosen = discovery.servers.find((one) => one.name === server?.name)?.definition;
  const facts: [string, string][] = server
    ? [
        ['state', server.state],
        ...(chosen ? [['would run', visible(launchText(chosen))] as [string, string]] : []),
        ...(chosen ? launchDetailsOf(chosen).map(([what, text]): [string, string] => [what, visible(text)]) : []),
        ...(tools ? [['tools', toolsText(tools)] as [string, string]] : []),
        ...needs.map((need): [string, string] => ['needs', visible(needText(need))]),
        ['policy', verdict?.kind === 'blocked' ? visible(verdict.rule) : 'no rule blocks it'],
        ['approval', approval],
        ...files.map((file): [string, string] => ['covers', visible(file)]),
        ['alias', server.alias],
        ['fingerprint', server.fingerprint],
        ...(server.runsAt === undefined
          ? []
          : [['runs at', `${visible(maskUrl(server.runsAt))}, so it is not started`] as [string, string]]),
        ...(server.renamedFrom
          ? [['renamed', `"${visible(server.renamedFrom)}" is the name of another server`] as [string, string]]
          : []),
      ]
    : [['state', 'ignored']];
  return [
    paint(io, 'bold', visible(server?.name ?? name)),
    ...table(
      facts.map(([what, text]): Cell[] => [{ text: `  ${what}`, style: 'dim' }, { text }]),
      io,
    ),
    ...changes.map((change) => `    ${paint(io, 'yellow', '±')} ${visible(change)}`),
    ...notes.map((note) => `    ${paint(io, 'yellow', 'note')} ${visible(note)}`),
    '',
    ...definitions.flatMap((one) => fateLines(one, server?.name ?? name, io)),
  ];
}

/** What is missing, and the command that provides it. */
function needText({ name, kind, because, description, command }: MissingValue): string {
  const about = description === undefined ? '' : ` (${description})`;
  const fault = { empty: 'is empty', unset: 'has no value', refused: 'has no stored value that this entry may use' };
  return `${kind} ${name}${about} ${fault[because]}: ${command}`;
}

/** Limits on tools that are in the entry itself, not in the settings. */
function toolsText({ allow, deny = [] }: NonNullable<Explanation['tools']>): string {
  const names = (list: readonly string[]) => list.map(visible).join(', ') || 'none';
  return [
    ...(allow ? [`its entry allows only ${names(allow)}`] : []),
    ...(deny.length > 0 ? [`its entry switches off ${names(deny)}`] : []),
  ].join('; ');
}

type Reader = NonNullable<DefinitionOutcome['alsoReadBy']>[number];

function readerText({ client, clientState }: Reader, usual: string): string {
  return clientState === usual ? client : `${client} (${clientState} there)`;
}

function fateLines(
  { name, fate, client, scope, source, line, because, clientState, alsoReadBy }: DefinitionOutcome,
  known: string,
  io: Io,
): string[] {
  const mark = fate === 'active' ? paint(io, 'green', '●') : fate === 'duplicate' ? '=' : paint(io, 'dim', '○');
  const called = name === known ? '' : ` as "${visible(name)}"`;
  return [
    `${mark} ${fate.padEnd(9)} ${placeText({ client, scope })}  ${shortPath(source, io.home)}:${line}${called}  (${clientState} there)`,
    paint(io, 'dim', `  ${visible(because)}`),
    ...(alsoReadBy ? [`  also read by ${alsoReadBy.map((one) => readerText(one, clientState)).join(', ')}`] : []),
  ];
}
