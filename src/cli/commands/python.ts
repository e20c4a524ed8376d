import type { PythonAnswer } from '../../app/index.js';
import { ErrorCode, PortolanError } from '../../base/index.js';
import {
  type Command,
  EXIT,
  flags,
  GATEWAY_OPTIONS,
  gatewayFlags,
  type Io,
  SCAN_OPTIONS,
  scanFlags,
  usageError,
} from '../runtime/command.js';
import { noServerLines } from '../runtime/no-servers.js';
import { exitOf } from '../runtime/report-failure.js';
import { SANDBOX_CHOICES, sandboxChoice } from '../runtime/sandbox-choice.js';
import { paint, visible } from '../runtime/terminal-text.js';
import { type OpenForCommand, withGateway } from '../runtime/with-gateway.js';

const { json, config, client, server } = SCAN_OPTIONS;
const OPTIONS = {
  ...{ json, config, client, server },
  servers: { type: 'string', value: 'NAME,…', about: 'servers that the program can call (default: all)' },
  timeout: { type: 'string', value: 'SECONDS', about: 'time limit of the program (default: 30)' },
  sandbox: { type: 'string', value: SANDBOX_CHOICES, about: 'the engine that runs the program' },
  ...GATEWAY_OPTIONS,
} as const;

/** The text of a file, or of stdin. */
export type ReadProgram = (path: string) => Promise<string>;

export function pythonCommand(open: OpenForCommand, read: ReadProgram): Command {
  return {
    name: 'python',
    group: 'Use tools',
    summary: 'run a Python program that calls tools, in a sandbox',
    usage: 'portolan python [FILE|-] [--servers a,b] [--timeout SECONDS] [--sandbox ENGINE] [--json]',
    options: OPTIONS,
    examples: [
      { line: 'portolan python report.py --servers github,slack', does: 'run a file that can call two servers' },
      { line: `echo 'mcp_weather.get_forecast(city="Oslo")' | portolan python`, does: 'run a program from stdin' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS, { mostWords: 1 });
      const [path = '-'] = positionals;
      if (path === '-' && io.ask) throw usageError(this, 'needs a file, or a program on stdin');
      const engine = sandboxChoice(values.sandbox);
      if (values.sandbox !== undefined && !engine)
        throw usageError(this, `needs one of ${SANDBOX_CHOICES.join(', ')} after --sandbox`);
      const request = {
        code: await read(path),
        ...(values.servers !== undefined && { servers: namesIn(values.servers) }),
        ...(values.timeout !== undefined && { timeoutSeconds: secondsOf(values.timeout, this) }),
      };
      const options = {
        ...scanFlags(values),
        ...gatewayFlags(this, values),
        ...(engine && { settings: { sandbox: { engine } } }),
      };
      try {
        const { answer, resultText } = await withGateway(
          open,
          options,
          io,
          'running',
          async (gateway, { say, signal }) => {
            const { count } = await gateway.ask('command/servers', {}, { signal });
            for (const line of noServerLines({ servers: { length: count } }, scanFlags(values))) io.err(line);
            const progress = ({ message = 'running' }: { message?: string }) => say(message);
            const run = await gateway.ask('command/python', request, { signal, progress });
            // An aborted run returns an answer with an error; the signal is the reason.
            if (run.answer.error) signal.throwIfAborted();
            return run;
          },
        );
        if (values.json) io.out(JSON.stringify({ success: answer.error === undefined, ...answer }, null, 2));
        else print(answer, resultText, io);
        return answer.error ? EXIT.failed : EXIT.ok;
      } catch (error) {
        if (!values.json || !(error instanceof PortolanError)) throw error;
        const { code, message, hint: todo } = error;
        io.out(JSON.stringify({ success: false, error: { code, message, ...(todo && { hint: todo }) } }, null, 2));
        return code === ErrorCode.Cancelled ? exitOf(error) : EXIT.failed;
      }
    },
  };
}

/** Prints the output of the program to stdout, and everything about the run to stderr. */
function print({ stdout = '', stderr = '', error, files, ...rest }: PythonAnswer, result: string | undefined, io: Io) {
  const lines = (text: string) => text.replace(/\n$/, '').split('\n').map(visible);
  if (stdout !== '') for (const line of lines(stdout)) io.out(line);
  if (result !== undefined) for (const line of lines(result)) io.out(line);
  if (stderr !== '') for (const line of lines(stderr)) io.err(line);
  if (error) {
    const where = error.line === undefined ? '' : ` (line ${error.line})`;
    const code = error.code === undefined ? '' : ` ${error.code}`;
    io.err(`${paint(io, 'red', visible(`${error.type}${code}`))}: ${visible(error.message)}${where}`);
  }
  for (const file of files ?? []) io.err(`${visible(file.path)}, ${file.bytes} bytes; --json shows what is in it`);
  io.err(paint(io, 'dim', `${rest.engine}: ${rest.guarantees.join('; ')}`));
}

function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function secondsOf(text: string, command: Command): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw usageError(command, `needs a positive number of seconds after --timeout, not "${text}"`);
}
