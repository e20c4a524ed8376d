import { scriptsMixedIn } from '../../base/index.js';
import { type Discovery, type scanMachine, toRecord } from '../../discovery/index.js';
import { maskScanResult, type Problem, type ServerRecord, type State } from '../../model/index.js';
import { startProblems } from '../../use-cases/index.js';
import { type Command, EXIT, flags, type Io, SCAN_OPTIONS, type ScanFlags, scanFlags } from '../runtime/command.js';
import { noServerLines } from '../runtime/no-servers.js';
import { clientsText, starLine, withStarters } from '../runtime/starter-marks.js';
import { type Cell, paint, plural, type Style, shortPath, table, visible } from '../runtime/terminal-text.js';

const STATE_STYLE: Readonly<Record<State, Style>> = {
  ready: 'green',
  disabled: 'dim',
  'pending-approval': 'yellow',
  rejected: 'red',
  'blocked-by-policy': 'red',
  'needs-input': 'yellow',
  'client-ignores': 'dim',
  'inventory-only': 'dim',
};

const OPTIONS = {
  ...SCAN_OPTIONS,
  all: { type: 'boolean', about: 'also print file and line; with --json every definition' },
  'show-secrets': { type: 'boolean', about: 'do not mask secrets' },
} as const;

export function listCommand(discover: typeof scanMachine): Command {
  return {
    name: 'list',
    group: 'Discover',
    summary: 'list the servers found, their origin and their state',
    usage: 'portolan list [--json] [--all] [--client ID,…] [--config FILE|DIR] [--show-secrets]',
    options: OPTIONS,
    examples: [
      { line: 'portolan list', does: 'list every server and its state' },
      {
        line: 'portolan list --all --client cursor,claude-code',
        does: 'list the servers of two clients, with file and line',
      },
      { line: 'portolan list --json --server notes="node notes.js"', does: 'print JSON, with an additional server' },
    ],
    async run(args, io) {
      const { values } = flags(this, args, OPTIONS, { mostWords: 0 });
      const discovery = await discover(scanFlags(values));
      const { definitions } = discovery;
      const servers = withStarters(discovery.servers.map(toRecord), discovery);
      const failing = startProblems(discovery);
      const problems = [...discovery.problems, ...failing];
      const scan = { definitions, servers, problems };
      if (values.json) {
        const shown = values['show-secrets'] ? scan : maskScanResult(scan);
        io.out(JSON.stringify(values.all ? shown : { servers: shown.servers, problems }, null, 2));
        return EXIT.ok;
      }
      for (const line of listLines(
        servers,
        { ...discovery, problems },
        failing,
        scanFlags(values),
        io,
        values.all === true,
      ))
        io.out(line);
      return EXIT.ok;
    },
  };
}

function listLines(
  servers: readonly ServerRecord[],
  discovery: Discovery,
  failing: readonly Problem[],
  filter: ScanFlags,
  io: Io,
  all: boolean,
): string[] {
  const { problems } = discovery;
  if (servers.length === 0) {
    const silenced = silencedLines(discovery, io);
    if (silenced.length > 0) return [...silenced, ...problemLine(problems, io)];
    return [
      ...noServerLines(discovery, filter),
      ...(filter.clients || filter.config
        ? []
        : [paint(io, 'dim', 'To see Portolan work with example servers: portolan tour')]),
      ...problemLine(problems, io),
    ];
  }
  const head = ['NAME', 'STATE', 'TRANSPORT', 'CLIENTS', ...(all ? ['SOURCE'] : [])].map(
    (text): Cell => ({ text, style: 'bold' }),
  );
  const rows = servers.map((server): Cell[] => [
    { text: `${visible(server.name)}${scriptsMixedIn(server.name).length > 0 ? ' (mixed letters)' : ''}` },
    { text: server.state, style: STATE_STYLE[server.state] },
    { text: server.transport },
    { text: clientsText(server) },
    ...(all ? [{ text: sourceOf(server, io), style: 'dim' as const }] : []),
  ]);
  const ready = servers.filter((server) => server.state === 'ready').length;
  const renamed = servers.flatMap((server) => renameLine(server, servers, io));
  return [
    ...table([head, ...rows], io),
    ...renamed,
    ...failing.map((problem) => failureLine(problem, io)),
    ...starLine(servers, discovery, io),
    '',
    `${plural(servers.length, 'server')}, ${ready} ready`,
    ...silencedLines(discovery, io),
    ...pendingLine(servers, io),
    ...problemLine(problems, io),
  ];
}

/** A server that will fail, shown before anybody calls it. */
function failureLine({ severity, server = '', message }: Problem, io: Io): string {
  return paint(io, severity === 'error' ? 'red' : 'yellow', `${visible(server)}: ${visible(message)}`);
}

/** Explains a server that has another name than in its file. */
function renameLine(
  { name, renamedFrom, ...server }: ServerRecord,
  servers: readonly ServerRecord[],
  io: Io,
): string[] {
  if (renamedFrom === undefined) return [];
  const first = servers.find((one) => one.name === renamedFrom);
  const taken = first ? ` in ${shortPath(first.source, io.home)} is another server and came first` : ' was taken';
  return [
    paint(
      io,
      'dim',
      `${visible(name)} is "${visible(renamedFrom)}" of ${shortPath(server.source, io.home)}: the one${taken}`,
    ),
  ];
}

/** Explains why few or no servers are listed although there are files. */
function silencedLines({ exclusive, ignored, settings }: Discovery, io: Io): string[] {
  if (!settings.settings.enabled)
    return ['Portolan is disabled by the setting "enabled"; to see its file: portolan config show'];
  const files = exclusive.map((path) => shortPath(path, io.home)).join(', ');
  return exclusive.length === 0
    ? []
    : [`${files} has exclusive control; ${plural(ignored.length, 'other definition')} ignored`];
}

function pendingLine(servers: readonly ServerRecord[], io: Io): string[] {
  const waiting = servers.filter((server) => server.state === 'pending-approval').length;
  return waiting === 0 ? [] : [`${paint(io, 'yellow', `${waiting} waiting for approval`)}: portolan approve`];
}

function sourceOf(server: ServerRecord, io: Io): string {
  return `${shortPath(server.source, io.home)}:${server.origins[0]?.line ?? 1}`;
}

function problemLine(problems: readonly Problem[], io: Io): string[] {
  const count = (severity: Problem['severity']) => problems.filter((problem) => problem.severity === severity).length;
  const parts = [
    ...(count('error') > 0 ? [paint(io, 'red', plural(count('error'), 'error'))] : []),
    ...(count('warning') > 0 ? [paint(io, 'yellow', plural(count('warning'), 'warning'))] : []),
  ];
  return parts.length === 0 ? [] : [`${parts.join(', ')}: portolan doctor`];
}
