import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openOwnGateway } from '../../src/app/answer-command.js';
import { ErrorCode } from '../../src/base/index.js';
import { run } from '../../src/cli/run-command.js';
import { scanMachine } from '../../src/discovery/index.js';
import { inspectOwnSettings } from '../../src/use-cases/index.js';
import { configure, fixture } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';
import { refusalOf, typedIn } from '../support/refused-arguments.js';

const source = join(dirname(fileURLToPath(import.meta.url)), '../../src');
const COMMAND = /(?<![\w./-])portolan ([a-z]+)((?: (?:\\?\$\{[^{}]*\}|<[\w-]+>|--[\w-]+|[\w./:-]+))*)/g;
/** Words after "portolan" in a text that names no command. */
const PROSE = new Set(['with', 'for', 'is', 'never', 'portolan', 'has', 'listens', 'lists']);
/** Words with which a sentence goes on after a command. */
const SENTENCE = new Set(
  'and checks ends exits for in is lists or prints restores shows starts stores tests that to uses which with would'.split(
    ' ',
  ),
);

/** The command lines in a text, with `x` in place of a name that is filled in. */
function commandLinesIn(text: string): string[] {
  return [...text.matchAll(COMMAND)].flatMap(([, name = '', rest = '']) => {
    if (PROSE.has(name)) return [];
    const words = rest.replaceAll(/\\?\$\{[^{}]*\}|<[\w-]+>/g, 'x').split(' ');
    const end = words.findIndex((word) => SENTENCE.has(word));
    const own = (end < 0 ? words : words.slice(0, end)).filter((word) => word !== '');
    return [['portolan', name, ...own].join(' ').replace(/[.:]$/, '')];
  });
}

/** The command lines in the texts of a source file; comments, usages and examples are tested elsewhere. */
function commandsOf(file: string): string[] {
  return readFileSync(join(source, file), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line) && !/\b(?:usage|line):|ErrorCode\.Usage/.test(line))
    .flatMap(commandLinesIn);
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !/help-topics|completion|guest-source/.test(name),
);
/** A command is named without its arguments, as `portolan call`, or the text goes on in another string. */
const INCOMPLETE = new Set([
  'portolan add',
  'portolan add x',
  'portolan add x --url x',
  'portolan call',
  'portolan call x x --args',
  'portolan help x',
  'portolan inspect x',
  'portolan search',
]);
const lines = [...new Set(files.flatMap(commandsOf))].filter((line) => !INCOMPLETE.has(line)).toSorted();

describe('a command that an error, a problem or a result names', () => {
  it('is found in the source', () => {
    expect(lines).toEqual(expect.arrayContaining(['portolan logs x', 'portolan approve --settings']));
    expect(lines.length).toBeGreaterThan(30);
  });

  it.each(lines)('is accepted by the program: %s', async (line) => {
    using machine = makeMachine();
    expect(await refusalOf(typedIn(line), machine)).toBe(undefined);
  });
});

/** Runs one command in this process, with a gateway and without a terminal. */
async function runOn(machine: Machine, args: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const options = machine.options({ env: { PATH: process.env.PATH ?? '', PORTOLAN_SECRETS: 'file' } });
  const refused = () => Promise.reject(new Error('this test serves nothing'));
  const status = await run(
    args,
    { out: (line) => out.push(line), err: (line) => err.push(line), colour: false, home: machine.home },
    {
      discover: (chosen) => scanMachine({ ...options, ...chosen }),
      inspectSettings: () => inspectOwnSettings(options),
      serve: { stdio: refused, http: refused, socket: refused, environment: {} },
      open: (chosen) => openOwnGateway({ ...options, ...chosen, version: '1.2.3' }),
      machine: options,
      version: '1.2.3',
      interactive: false,
    },
  );
  return { status, out: out.join('\n'), err: err.join('\n') };
}

/** How an error comes about, and where its hint leads. */
interface Path {
  readonly files?: Readonly<Record<string, string>>;
  readonly servers?: Readonly<Record<string, object>>;
  readonly settings?: object;
  /** The command that fails. */
  readonly args: readonly string[];
  /** A part of the hint, if it is not a command. */
  readonly hint?: string;
  /** What to run next, if the hint names no whole command. */
  readonly next?: readonly string[];
  /** A part of the output of the next command. */
  readonly answer: string;
}

const PROJECT = {
  '<project>/.cursor/mcp.json': JSON.stringify({ mcpServers: { theirs: fixture(['theirs']) } }),
  '<project>/.git/HEAD': '',
};
const ECHO = ['call', 'one', 'echo', 'text=x'];
const OWN = '~/.config/portolan';

/** The text is why the table has no path for the code. */
const PATHS: Readonly<Record<ErrorCode, Path | string>> = {
  [ErrorCode.Cancelled]: 'the user interrupted it, so nothing is left to do',
  [ErrorCode.FileChanged]: 'another program wrote at the same moment; the hint says to try again',
  [ErrorCode.WriteFailed]: 'the disk failed; the hints name no command',
  [ErrorCode.MemoryNotFound]: 'only programs in the sandbox get it; the hint names functions there',
  [ErrorCode.ToolExecutionError]: 'the message is the one of the tool',
  [ErrorCode.ToolExecutionTimeout]: 'the hint names the setting; no command answers for the server',
  [ErrorCode.ResultTooLarge]: 'the hint names the setting',
  [ErrorCode.LimitExceeded]: 'the hint names the setting',
  [ErrorCode.ConfigNotFound]: { args: ['list', '--config', '/nowhere.json'], next: ['list'], answer: '1 server' },
  [ErrorCode.ServerNotFound]: { args: ['tools', 'zzzzzz'], answer: 'one' },
  [ErrorCode.TerminalNeeded]: {
    files: PROJECT,
    args: ['approve', 'theirs'],
    next: ['approve', 'theirs', '--yes'],
    answer: 'approved theirs',
  },
  [ErrorCode.UnknownClient]: {
    args: ['list', '--client', 'curser'],
    next: ['list', '--client', 'cursor'],
    answer: '1 server',
  },
  [ErrorCode.Usage]: { args: ['why'], answer: 'state' },
  [ErrorCode.EditRefused]: {
    files: { '~/.gemini/settings.json': '{"mcpServers":' },
    args: ['install', 'gemini-cli'],
    next: ['doctor'],
    answer: 'parse-error ~/.gemini/settings.json:1',
  },
  [ErrorCode.NameTaken]: {
    files: { [`${OWN}/servers.json`]: '{"mcpServers":{"notes":{"command":"a"}}}' },
    args: ['add', 'notes', '--', 'node'],
    next: ['add', 'notes', '--force', '--', 'node'],
    answer: 'Added notes.',
  },
  [ErrorCode.NotInstallable]: 'the client has no file; the hint names what to enter in the client',
  [ErrorCode.WriteRefused]: 'the hint says what to put in place of the file',
  [ErrorCode.SettingsInvalid]: {
    files: { [`${OWN}/portolan.config.json`]: '{ "timeouts": 5 }' },
    args: ECHO,
    answer: '"timeouts" is not',
  },
  [ErrorCode.InvalidPattern]: {
    files: { [`${OWN}/portolan.config.json`]: '{ "toolRules": [{ "pattern": ["/(?=a)/"], "enabled": false }] }' },
    args: ECHO,
    next: ['config', 'validate'],
    answer: '/(?=a)/',
  },
  [ErrorCode.ToolNotFound]: { args: ['call', 'one', 'zzzzzz'], answer: 'echo' },
  [ErrorCode.ToolDisabled]: {
    settings: { toolRules: [{ pattern: ['echo'], enabled: false }] },
    args: ECHO,
    answer: '"echo"',
  },
  [ErrorCode.ServerNotApproved]: {
    files: PROJECT,
    args: ['call', 'theirs', 'echo', 'text=x'],
    answer: 'an approval needs a terminal',
  },
  [ErrorCode.ServerBlocked]: {
    servers: { one: fixture([], { disabled: true }) },
    args: ECHO,
    answer: 'disabled there',
  },
  [ErrorCode.ToolValidationError]: {
    args: ['call', 'one', 'echo', 'txt=x'],
    hint: `--args '{"text":"x"}'`,
    next: ['call', 'one', 'echo', '--args', '{"text":"x"}'],
    answer: 'x',
  },
  [ErrorCode.ConnectionError]: {
    servers: { one: fixture(['--dies', 'no database']) },
    args: ECHO,
    answer: 'no database',
  },
  [ErrorCode.SandboxUnavailable]: {
    settings: { sandbox: { engine: 'off' } },
    // Any file will do, because it is not run.
    args: ['python', import.meta.filename],
    next: ['doctor'],
    answer: 'run_python is switched off (sandbox.engine)',
  },
};

const followed = Object.entries(PATHS).flatMap(([code, path]) => (typeof path === 'string' ? [] : [{ code, ...path }]));

describe('the hint of', () => {
  it.each(followed)('$code leads to the answer', async ({ code, args, answer, next, hint: part = '', ...given }) => {
    using machine = makeMachine();
    configure(machine, given.servers ?? { one: fixture() }, given.settings);
    machine.write(given.files ?? {});
    const failed = await runOn(machine, args);
    expect(failed.err).toMatch(new RegExp(`^${code}: `));
    const [, hint = ''] = failed.err.split('\n  ');
    expect(hint).toContain(part);
    const named = commandLinesIn(hint).map((line) => typedIn(line.replaceAll(/ x$/g, ' one')));
    const wanted = next ?? named[0] ?? [];
    expect([hint, wanted]).toEqual([hint, expect.arrayContaining([expect.any(String)])]);
    const { out, err } = await runOn(machine, wanted);
    expect(`${out}\n${err}`).toContain(answer);
  });
});
