import { type discoverAll, hiddenTools } from '../app/index.js';
import type { Problem } from '../model/index.js';
import { CHART_OPTIONS, type Command, chartFlags, EXIT, flags, type Io } from './command.js';
import { paint, plural, type Style, shortPath, visible } from './text.js';

const ORDER: readonly Problem['severity'][] = ['error', 'warning', 'info'];
const STYLE: Readonly<Record<Problem['severity'], Style>> = { error: 'red', warning: 'yellow', info: 'cyan' };

export function doctorCommand(discover: typeof discoverAll): Command {
  return {
    name: 'doctor',
    summary: 'show what is wrong with the files found, and what to do about it',
    usage: 'portolan doctor [--json] [--client ID,…] [--config FILE|FOLDER]',
    async run(args, io) {
      const { values } = flags(this, args, CHART_OPTIONS, { mostWords: 0 });
      const discovery = await discover(chartFlags(values));
      const { servers, looks } = discovery;
      const problems = [...discovery.problems, ...(await hiddenTools(discovery))];
      const sorted = ORDER.flatMap((severity) => problems.filter((problem) => problem.severity === severity));
      if (values.json) io.out(JSON.stringify({ problems: sorted }, null, 2));
      else {
        for (const problem of sorted) for (const line of problemLines(problem, io)) io.out(line);
        const read = new Set(looks.filter((look) => look.found === 'read').map((look) => look.path)).size;
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
