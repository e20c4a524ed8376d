import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandsIn, ErrorCode, PortolanError } from '../../src/base/index.js';
import { everyCommand, type Program } from '../../src/cli/run-command.js';
import { EXIT, flags } from '../../src/cli/runtime/command.js';
import { installed, portolan, type Variables } from './client-over-stdio.js';
import type { TypedLine } from './documents.js';
import { type Machine, makeMachine } from './machine.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** The servers that documents mention. The examples can be called; the others are only configured. */
export function exampleMachine(): Machine {
  const machine = makeMachine();
  const example = (name: string) => ({ command: process.execPath, args: [join(root, 'dist/examples', `${name}.js`)] });
  const notes = { ...example('notes'), env: { NOTES_FILE: join(machine.home, 'notes.json') } };
  const mcpServers = {
    ...{ weather: example('weather'), orders: example('orders'), notes },
    ...{ github: { command: 'npx', args: ['-y', '@acme/github-mcp'] }, linear: { url: 'https://mcp.example.com/mcp' } },
    everything: installed('@modelcontextprotocol/server-everything'),
  };
  const reports = { command: 'npx', args: ['-y', 'reports-mcp'] };
  machine.write({
    '~/.cursor/mcp.json': JSON.stringify({ mcpServers }),
    '<project>/mcp-servers/reports.json': JSON.stringify({ mcpServers: { reports } }),
  });
  mkdirSync(join(machine.project, '.git'));
  return machine;
}

/** How many commands of a line were run, parsed or only recognized, and their errors. */
export interface LineVerdict {
  readonly ran: number;
  readonly parsed: number;
  readonly known: number;
  readonly faults: readonly string[];
}

/** Commands that wait for input, open a browser or need a file of the reader. Only their arguments are parsed. */
const ONLY_PARSED: readonly string[] = ['serve', 'tour', 'login', 'announce', 'python'];
/** Exit codes without a terminal and without a daemon, which a test does not have. */
const ALSO_ACCEPTED: Readonly<Record<string, number>> = {
  approve: EXIT.terminalNeeded,
  'daemon status': EXIT.failed,
  'daemon stop': EXIT.failed,
};
const PLACEHOLDER = /^<.*>$|…/;
const VARIABLE = /^[A-Z_]+=/;

/** Runs or parses every command of a line in order. */
export async function verdictOn(typed: TypedLine, machine: Machine): Promise<LineVerdict> {
  const verdict = { ran: 0, parsed: 0, known: 0 };
  const faults: string[] = [];
  for (const written of commandsOf(typed.text)) {
    const first = written.findIndex((word) => !VARIABLE.test(word));
    const to = written.findIndex((word) => /^\d?>/.test(word));
    const words = written.slice(first, to < 0 ? undefined : to);
    const ownArgs = ownArguments(words);
    if (!ownArgs) {
      verdict.known += 1;
      faults.push(...foreignFaults(words));
    } else if (isRun(ownArgs)) {
      verdict.ran += 1;
      faults.push(...(await runFaults(ownArgs, variablesIn(written.slice(0, first)), typed.exits, machine)));
    } else {
      verdict.parsed += 1;
      faults.push(...(await parseFaults(ownArgs)));
    }
  }
  return { ...verdict, faults };
}

/** The commands of a line, including those in `eval "$(…)"`. */
function commandsOf(text: string): string[][] {
  return commandsIn(text).flatMap((words) => {
    const [name, inner = ''] = words;
    return name === 'eval' ? commandsOf(inner.replace(/^\$\((.*)\)$/, '$1')) : [words];
  });
}

const PROGRAM_NAMES = ['portolan', 'npx -y portolan', 'node dist/cli.js', 'node dist/cli.cjs'].map((name) =>
  name.split(' '),
);

/** The arguments of Portolan in each form of its name; undefined for another program. */
function ownArguments(words: readonly string[]): readonly string[] | undefined {
  const name = PROGRAM_NAMES.find((one) => one.every((word, n) => words[n] === word));
  return name && words.slice(name.length);
}

function isRun(words: readonly string[]): boolean {
  const [name = '', verb = ''] = words;
  if (words.includes('--help')) return true;
  if (ONLY_PARSED.includes(name) || words.some((word) => PLACEHOLDER.test(word))) return false;
  // It would download the model.
  if (words.includes('--install-model')) return false;
  // A daemon would continue to run after the test.
  return name !== 'daemon' || ['status', 'stop'].includes(verb);
}

function variablesIn(words: readonly string[]): Variables {
  return Object.fromEntries(words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]));
}

async function runFaults(words: readonly string[], env: Variables, exits: number, machine: Machine): Promise<string[]> {
  const [name = '', verb = ''] = words;
  const ended = await portolan(machine, words, { ...env, MCP_BRIDGE_SOCKET: join(machine.home, 'run/bridge.sock') });
  if ([exits, ALSO_ACCEPTED[name], ALSO_ACCEPTED[`${name} ${verb}`]].includes(ended.status)) return [];
  const output = ended.stderr.trim() || ended.stdout.trim().slice(-300);
  return [`exit code ${ended.status} instead of ${exits}: ${output}`];
}

const unused = () => Promise.reject(new Error('commands are only parsed here'));
/** A program of which only the command table is used. */
export const program: Program = {
  ...{ discover: unused, inspectSettings: unused, open: unused, version: '0.0.0', interactive: false },
  serve: { stdio: unused, http: unused, socket: unused, environment: {} },
};

async function parseFaults([name = '', ...rest]: readonly string[]): Promise<string[]> {
  const command = (await everyCommand(program)).find((one) => one.name === name);
  if (!command) return [`there is no command ${name}`];
  try {
    flags(command, rest, command.options);
    return [];
  } catch (error) {
    if (error instanceof PortolanError && error.code === ErrorCode.Usage) return [error.message];
    throw error;
  }
}

const SCRIPTS: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts;

/** The allowed command lines of other programs. Try a form before you add it. */
const FOREIGN: readonly RegExp[] = [
  /^npm (?:install|ci)(?: -g)?(?: [\w@/.-]+)?$/,
  /^npm publish --dry-run$/,
  /^npm run guarantees -- [RGST]\d{1,2}$/,
  /^git clone https:\/\/\S+$/,
  /^(?:sudo )?(?:apt|apt-get|dnf|brew) install [\w .-]+$/,
  /^cd \S+$/,
  /^source \S+$/,
  /^(?:jq|head|less)(?: |$)/,
  /^curl -\S+ .*http:\/\/127\.0\.0\.1:\d+\//,
];

/** A test file or an example, which has to exist. Other tests run the examples. */
const WITH_FILE = /^(?:npm test --|npx vitest|node) ((?:tests|examples)\/[\w/.-]+\.(?:test\.ts|mjs))(?: -t .+)?$/;

function foreignFaults(words: readonly string[]): string[] {
  const line = words.join(' ');
  const [, file] = WITH_FILE.exec(line) ?? [];
  if (file !== undefined) return existsSync(join(root, file)) ? [] : [`there is no ${file}`];
  const [, script] = /^npm (?:run )?([\w:-]+)$/.exec(line) ?? [];
  if (script !== undefined && Object.hasOwn(SCRIPTS, script)) return [];
  if (FOREIGN.some((form) => form.test(line))) return [];
  return [
    `unknown command line ${line}: it is neither a script of package.json nor a form in tests/support/typed-in-documents.ts`,
  ];
}
