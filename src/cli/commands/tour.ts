import { ErrorCode, PortolanError } from '../../base/index.js';
import type { DiscoverOptions } from '../../discovery/index.js';
import { type ClientEntries, type ClientEntry, clientEntries, type TourStep, takeTour } from '../../use-cases/index.js';
import { type Command, EXIT, flags, type Io } from '../runtime/command.js';
import { signalOnShutdown } from '../runtime/process-setup.js';
import { failureJson } from '../runtime/report-failure.js';
import { paint, shortPath, visible } from '../runtime/terminal-text.js';
import { spin } from '../runtime/with-gateway.js';

const OPTIONS = { json: { type: 'boolean', about: 'print the steps and entries as JSON' } } as const;
const NAME_WIDTH = 10;
const MS_WIDTH = 6;
/** Longer lines are cut, so that the output stays readable as a picture. */
const MAX_SHOWN_CHARACTERS = 110;

/** Runs all steps with the example servers in a temporary home directory. */
export function tourCommand(version: string, machine: DiscoverOptions = {}, take: typeof takeTour = takeTour): Command {
  return {
    name: 'tour',
    group: 'Discover',
    summary: 'show all features with example servers in a temporary home',
    usage: 'portolan tour [--json]',
    options: OPTIONS,
    examples: [
      { line: 'portolan tour', does: 'run the tour, which takes a few seconds' },
      { line: 'portolan tour --json', does: 'print the steps with their times, and the entry for each client' },
    ],
    async run(args, io) {
      const { values } = flags(this, args, OPTIONS, { mostWords: 0 });
      const steps: TourStep[] = [];
      const say = (lines: readonly string[]) => {
        if (!values.json) for (const line of lines) io.out(line);
      };
      say(headLines(io));
      const failed = await runSteps(take, { version, machine }, io, (step) => {
        steps.push(step);
        say(stepLines(step, io));
      });
      if (failed) {
        if (values.json) io.out(failureJson(failed.error, { step: failed.step }));
        else io.err(failureLine(failed, io));
        return EXIT.failed;
      }
      const entries = await clientEntries(machine);
      if (values.json) io.out(JSON.stringify({ steps, ...entries }, null, 2));
      // On a terminal the last step already ends with an empty line.
      say([...(io.isTerminal ? [] : ['']), ...entryLines(entries, io), '', ...nextLines(entries, io)]);
      return EXIT.ok;
    },
  };
}

interface TourContext {
  readonly version: string;
  readonly machine: DiscoverOptions;
}

/** The step that failed, and its error. */
interface FailedStep {
  readonly step: string;
  readonly error: PortolanError;
}

/** Runs the steps. Returns the one that failed; undefined if none did. */
async function runSteps(
  take: typeof takeTour,
  { version, machine: { self } }: TourContext,
  io: Io,
  done: (step: TourStep) => void,
): Promise<FailedStep | undefined> {
  if (self === undefined) throw new Error('the path of the program is unknown');
  let step = 'found';
  let stop = (): void => undefined;
  try {
    await take({
      // Resolves symlinks, because the examples are beside the program file.
      self: process.getBuiltinModule('node:fs').realpathSync(self),
      version,
      signal: signalOnShutdown(),
      begins(name) {
        step = name;
        stop = spin(() => name, io);
      },
      done(taken) {
        stop();
        done(taken);
      },
    });
    return undefined;
  } catch (error) {
    if (error instanceof PortolanError) return { step, error };
    throw error;
  } finally {
    stop();
  }
}

function failureLine({ step, error: { code, message, hint } }: FailedStep, io: Io): string {
  if (code === ErrorCode.Cancelled) return visible(message);
  return `${paint(io, 'red', `${step} failed`)}: ${visible(message)}${hint ? `\n  ${visible(hint)}` : ''}`;
}

function headLines(io: Io): string[] {
  if (!io.isTerminal) return [];
  return [
    '',
    `  ${paint(io, 'bold', 'Portolan, a tour')}`,
    `  ${paint(io, 'dim', 'Three example servers, one real gateway, one real client. Your own files are not touched.')}`,
    '',
  ];
}

/** Without a terminal, prints each step on one line, for scripts. */
function stepLines({ name, ms, did, shown }: TourStep, io: Io): string[] {
  const time = `${Math.round(ms)} ms`;
  if (!io.isTerminal) return [`${name.padEnd(NAME_WIDTH)} ${time.padStart(MS_WIDTH + 3)}  ${visible(did)}`];
  const more = shown.map((line) => `      ${paint(io, 'dim', shortened(visible(line)))}`);
  return [
    `  ${paint(io, 'green', '✓')} ${paint(io, 'bold', name.padEnd(NAME_WIDTH))} ${visible(did)}  ${paint(io, 'dim', time)}`,
    ...more,
    '',
  ];
}

function shortened(line: string): string {
  return line.length <= MAX_SHOWN_CHARACTERS ? line : `${line.slice(0, MAX_SHOWN_CHARACTERS - 1)}…`;
}

function entryLines({ clients, text }: ClientEntries, io: Io): string[] {
  if (clients.length === 0)
    return [paint(io, 'bold', 'Add this to the configuration of your AI client:'), ...indented(text)];
  return clients.flatMap((entry, place) => [...(place === 0 ? [] : ['']), ...clientLines(entry, io)]);
}

function clientLines({ name, file, text, isThere }: ClientEntry, io: Io): string[] {
  const where = shortPath(file, io.home);
  if (isThere) return [`${paint(io, 'bold', name)} has Portolan in ${where} already.`];
  return [`${paint(io, 'bold', `Add this to ${name}`)}, ${where}:`, ...indented(text)];
}

function indented(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${visible(line)}`);
}

function nextLines({ typed, clients }: ClientEntries, io: Io): string[] {
  const client = clients.find(({ isThere }) => !isThere)?.client ?? '<client>';
  return [
    `To add it with a command: ${paint(io, 'cyan', `${visible(typed)} install ${client}`)}`,
    `To list the servers on this machine: ${paint(io, 'cyan', `${visible(typed)} list`)}`,
  ];
}
