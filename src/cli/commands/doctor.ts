import { assertNever } from '../../base/index.js';
import { ownFolders, type scanMachine } from '../../discovery/index.js';
import type { Problem } from '../../model/index.js';
import {
  type EngineState,
  hiddenTools,
  installedModel,
  rulesForServers,
  sandboxState,
  startProblems,
  takeOverSavings,
} from '../../use-cases/index.js';
import { type Command, EXIT, flags, type Io, SCAN_OPTIONS, scanFlags } from '../runtime/command.js';
import { noServerLines } from '../runtime/no-servers.js';
import { savingsLines } from '../runtime/savings-report.js';
import { paint, plural, type Style, shortPath, visible } from '../runtime/terminal-text.js';

const ORDER: readonly Problem['severity'][] = ['error', 'warning', 'info'];
const STYLE: Readonly<Record<Problem['severity'], Style>> = { error: 'red', warning: 'yellow', info: 'cyan' };

const OPTIONS = {
  ...SCAN_OPTIONS,
  all: { type: 'boolean', about: 'test every installed sandbox, not only the selected one' },
} as const;

export function doctorCommand(discover: typeof scanMachine): Command {
  return {
    name: 'doctor',
    group: 'Discover',
    summary: 'list problems in configuration files, and how to fix them',
    usage: 'portolan doctor [--json] [--all] [--client ID,…] [--config FILE|DIR]',
    options: OPTIONS,
    examples: [
      { line: 'portolan doctor', does: 'list problems, with their place and a fix' },
      { line: 'portolan doctor --all', does: 'also test every installed sandbox' },
      { line: 'portolan doctor --json --client cursor', does: 'print the problems of one client as JSON' },
    ],
    async run(args, io) {
      const { values } = flags(this, args, OPTIONS, { mostWords: 0 });
      const discovery = await discover(scanFlags(values));
      const { servers, pathReadings } = discovery;
      const ofTools = await Promise.all([rulesForServers(discovery), hiddenTools(discovery)]);
      const problems = [...discovery.problems, ...startProblems(discovery), ...ofTools.flat()];
      const sorted = ORDER.flatMap((severity) => problems.filter((problem) => problem.severity === severity));
      const sandbox = await sandboxState(discovery, values.all === true);
      const savings = await takeOverSavings(discovery);
      const searchModel = installedModel(ownFolders(discovery.host).state) ?? null;
      if (values.json) io.out(JSON.stringify({ problems: sorted, sandbox, takeOver: savings, searchModel }, null, 2));
      else {
        for (const problem of sorted) for (const line of problemLines(problem, io)) io.out(line);
        for (const line of sandboxLines(sandbox, io)) io.out(line);
        for (const line of modelLines(searchModel !== null, io)) io.out(line);
        for (const line of noServerLines(discovery, scanFlags(values))) io.out(line);
        for (const line of savingsLines(savings, io)) io.out(line);
        const read = new Set(pathReadings.filter((reading) => reading.found === 'read').map((reading) => reading.path))
          .size;
        const counted = ORDER.map((severity) => problems.filter((problem) => problem.severity === severity).length);
        const [errors = 0, warnings = 0, infos = 0] = counted;
        io.out(
          `${plural(servers.length, 'server')} in ${plural(read, 'file')}: ${plural(errors, 'error')}, ${plural(warnings, 'warning')}, ${plural(infos, 'remark')}`,
        );
      }
      return problems.some((problem) => problem.severity === 'error') ? EXIT.failed : EXIT.ok;
    },
  };
}

function problemLines({ severity, code, source, line, server, message, hint }: Problem, io: Io): string[] {
  const where = source === undefined ? '' : `${shortPath(source, io.home)}${line === undefined ? '' : `:${line}`}`;
  const whose = server === undefined ? '' : ` ${visible(server)}:`;
  return [
    `${paint(io, STYLE[severity], severity)} ${paint(io, 'dim', code)}${where === '' ? '' : ` ${where}`}`,
    `  ${whose.trimStart()}${whose === '' ? '' : ' '}${visible(message)}`,
    `  ${paint(io, 'cyan', '→')} ${visible(hint)}`,
    '',
  ];
}

/** What the optional model is good for: see docs/decisions/0025-model-for-search.md. */
function modelLines(isInstalled: boolean, io: Io): string[] {
  if (isInstalled) return ['search finds tools by words and, with the installed model, by meaning', ''];
  return [
    'search finds tools by words; an optional model (32 MB, English) finds 4 to 5 more of 100 needs in other words',
    `  ${paint(io, 'cyan', '→')} portolan search --install-model`,
    '',
  ];
}

/** The sandbox of `run_python`, and why other engines do not work. */
function sandboxLines(states: readonly EngineState[], io: Io): string[] {
  if (states.length === 0) return ['run_python is switched off (sandbox.engine)', ''];
  const found = states.find(({ state }) => state === 'works');
  const head = found
    ? `run_python runs in ${found.engine}`
    : `${paint(io, 'yellow', 'run_python')} is not available on this machine`;
  return [head, ...states.flatMap((state) => engineLines(state, io)), ''];
}

function engineLines(state: EngineState, io: Io): string[] {
  switch (state.state) {
    case 'works':
      return [`  ${paint(io, 'green', state.engine)} ${visible(state.version)}: ${state.guarantees.join('; ')}`];
    case 'untried':
      return [`  ${state.engine} is installed and was not tested; to test it: portolan doctor --all`];
    case 'fails':
      return [
        `  ${paint(io, 'dim', state.engine)} ${visible(state.problem)} ${paint(io, 'cyan', '→')} ${visible(state.hint)}`,
      ];
    default:
      return assertNever(state);
  }
}
