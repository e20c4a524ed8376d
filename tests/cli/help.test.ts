import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commandsIn, ErrorCode, PortolanError } from '../../src/base/index.js';
import { everyCommand, type Program, run } from '../../src/cli/run-command.js';
import { COMMAND_GROUPS, type Command, flags, type Io } from '../../src/cli/runtime/command.js';
import { TOPICS } from '../../src/cli/runtime/help-topics.js';
import { KNOWN_KEYS } from '../../src/settings/settings-schema.js';
import { portolan } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Thrown where a command has understood its words and goes on to do something. */
class Understood extends Error {}
const understood = () => Promise.reject(new Understood());

function programOn(machine: Machine): Program {
  return {
    discover: understood,
    inspectSettings: understood,
    serve: { stdio: understood, http: understood, socket: understood, environment: {} },
    open: understood,
    machine: machine.options({ self: join(machine.home, 'cli.js') }),
    version: '0.0.0',
    interactive: false,
  };
}

const silent: Io = { out: () => undefined, err: () => undefined, colour: false, home: '/' };

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** What an example or a page would have somebody type, as the words after `portolan`. */
function typedIn(line: string): string[] {
  const words = commandsIn(line).find(([first]) => first === 'portolan');
  if (!words) throw new Error(`nothing of ours in: ${line}`);
  return words.slice(1);
}

/** Undefined where the command takes these words; else what it has against them. */
async function refusalOf(args: readonly string[], machine: Machine): Promise<string | undefined> {
  const program = programOn(machine);
  const [name = '', ...rest] = args;
  const command = (await everyCommand(program)).find((one) => one.name === name);
  if (!command) return `there is no command ${name}`;
  try {
    // These would start something, or wait for somebody, once they have understood: their words alone are looked at.
    if (WAIT.includes(name)) flags(command, rest, command.options);
    else await command.run(rest, silent);
  } catch (error) {
    if (error instanceof PortolanError && error.code === ErrorCode.Usage) return error.message;
    if (!(error instanceof PortolanError || error instanceof Understood)) throw error;
  }
  return undefined;
}
const WAIT = ['serve', 'daemon', 'announce', 'tour', 'python', 'clients', 'ps'];

async function examples(): Promise<{ readonly command: Command; readonly line: string }[]> {
  using machine = makeMachine();
  const commands = await everyCommand(programOn(machine));
  return commands.flatMap((command) => command.examples.map(({ line }) => ({ command, line })));
}

describe('every command', async () => {
  using nowhere = makeMachine();
  const commands = await everyCommand(programOn(nowhere));

  it('has an example, a summary in one line and a word about each of its flags', () => {
    const poor = commands.flatMap(({ name, summary, usage, options, examples: given }) => [
      ...(given.length === 0 ? [`${name} has no example`] : []),
      ...(summary === '' || summary.includes('\n') ? [`${name} has no summary`] : []),
      ...(usage.startsWith(`portolan ${name}`) ? [] : [`${name} has a usage of another`]),
      ...Object.entries(options).flatMap(([flag, { about, isHidden }]) =>
        about || isHidden ? [] : [`${name} says nothing about --${flag}`],
      ),
    ]);
    expect(poor).toEqual([]);
    expect(commands.length).toBeGreaterThan(25);
  });

  it.each(await examples())('takes its own example: $line', async ({ command, line }) => {
    using machine = makeMachine();
    const args = typedIn(line);
    expect({ named: args[0], refusal: await refusalOf(args, machine) }).toEqual({
      named: command.name,
      refusal: undefined,
    });
  });

  it('is refused where it has a flag too many, so that the check above can fail', async () => {
    using machine = makeMachine();
    expect(await refusalOf(typedIn('portolan list --no-such-flag'), machine)).toContain(
      "Unknown option '--no-such-flag'",
    );
    expect(await refusalOf(typedIn('portolan serve --no-such-flag'), machine)).toContain('--no-such-flag');
    expect(await refusalOf(typedIn('portolan tools'), machine)).toBe('portolan tools needs a server.');
  });

  it.each(commands.map(({ name }) => name))(
    '%s shows its usage, its flags and its examples with --help',
    async (name) => {
      const said: string[] = [];
      using machine = makeMachine();
      const io = { ...silent, out: (line: string) => said.push(line) };
      expect(await run([name, '--help'], io, programOn(machine))).toBe(0);
      const command = commands.find((one) => one.name === name);
      // The help wraps at the width of the terminal.
      const text = oneLine(said.join('\n'));
      const wanted = [
        oneLine(`usage: ${command?.usage}`),
        ...Object.entries(command?.options ?? {}).flatMap(([flag, { isHidden }]) => (isHidden ? [] : [`--${flag}`])),
        ...(command?.examples ?? []).map(({ line }) => line),
      ];
      expect(wanted.filter((one) => !text.includes(one))).toEqual([]);
      const asked: string[] = [];
      await run(['help', name], { ...silent, out: (line) => asked.push(line) }, programOn(machine));
      // A topic of the same name comes after.
      expect(asked.slice(0, said.length)).toEqual(said);
    },
  );
});

/** The help as printed on a terminal of a certain width, or to a pipe. */
async function printed(args: readonly string[], columns?: number): Promise<string[]> {
  const lines: string[] = [];
  using machine = makeMachine();
  const io = { ...silent, out: (line: string) => lines.push(line), ...(columns !== undefined && { columns }) };
  expect(await run(args, io, programOn(machine))).toBe(0);
  return lines;
}

function tooWide(lines: readonly string[], columns: number): string[] {
  return lines.filter((line) => [...line].length > columns);
}

describe('the list of commands', async () => {
  using nowhere = makeMachine();
  const commands = await everyCommand(programOn(nowhere));
  const lines = await printed(['help']);
  const starts = COMMAND_GROUPS.map((group) => lines.indexOf(group));
  const groups = COMMAND_GROUPS.map((group, place) => {
    const start = starts[place] ?? 0;
    return { group, start, rows: lines.slice(start + 1, lines.indexOf('', start)) };
  });

  it('has the five groups in order, each with at most 20 lines', () => {
    expect(starts.every((start, place) => start > (starts[place - 1] ?? 0))).toBe(true);
    expect(groups.filter(({ rows }) => rows.length === 0 || rows.length > 20)).toEqual([]);
  });

  it('has each command once, in its group, in one line of at most 80 columns', () => {
    const rows = groups.flatMap(({ group, rows: own }) => own.map((row) => `${group}: ${row.trim()}`));
    const wanted = COMMAND_GROUPS.flatMap((group) => commands.filter((command) => command.group === group));
    expect(rows).toEqual(
      wanted.map(({ group, name, summary }) => expect.stringMatching(new RegExp(`^${group}: ${name} +${summary}$`))),
    );
    expect(rows).toHaveLength(commands.length);
    expect(tooWide(lines, 80)).toEqual([]);
  });

  it.each([
    { group: 'Discover', first: 'list' },
    { group: 'Use tools', first: 'search' },
    { group: 'Approve and secure', first: 'approve' },
    { group: 'Set up clients', first: 'install' },
    { group: 'Run and monitor', first: 'daemon' },
  ])('$group begins with $first', ({ group, first }) => {
    expect(groups.find((one) => one.group === group)?.rows[0]).toMatch(new RegExp(`^  ${first} `));
  });
});

describe('the width of the terminal', () => {
  it.each([40, 60, 120])('of %i columns wraps the list of commands', async (columns) => {
    const lines = await printed(['help'], columns);
    expect(tooWide(lines, columns)).toEqual([]);
    expect(oneLine(lines.join(' '))).toBe(oneLine((await printed(['help'])).join(' ')));
  });

  it('wraps the usage between arguments and the texts of flags in their column', async () => {
    const lines = await printed(['help', 'add'], 60);
    expect(lines).toContain('usage: portolan add <name> [--scope user|project]');
    expect(lines).toContain('         [--env NAME=value]… [--force] [--json] -- <command>');
    const first = lines.findIndex((line) => line.startsWith('  --scope user|project'));
    expect(lines[first + 1]).toMatch(/^ {25,}\S/);
  });

  it('fills the paragraphs and the lists of a topic', async () => {
    const lines = await printed(['help', 'exit-codes'], 50);
    expect(tooWide(lines, 50)).toEqual([]);
    expect(lines.slice(2, 6)).toEqual([
      '  0   success',
      '  1   the operation failed or was declined: a',
      '      server did not start, a tool failed, doctor',
      '      found an error, you answered no',
    ]);
    expect(await printed(['help', 'exit-codes'], 200)).toEqual(await printed(['help', 'exit-codes']));
  });
});

describe('a topic', () => {
  const commandLines = TOPICS.flatMap(({ name, text }) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('  portolan '))
      .map((line) => ({ topic: name, line: line.trim().split(/ {2,}/)[0] ?? '' })),
  );

  it.each(TOPICS.map(({ name }) => name))('%s is a page that fits a terminal', async (name) => {
    using machine = makeMachine();
    const { status, stdout } = await portolan(machine, ['help', name]);
    const page = stdout.slice(stdout.search(new RegExp(`^${name}: `, 'm'))).split('\n');
    expect({ status, wide: tooWide(page, 80) }).toEqual({ status: 0, wide: [] });
    expect(page.length).toBeGreaterThan(8);
  });

  it.each(commandLines)('$topic names a command line that works: $line', async ({ line }) => {
    using machine = makeMachine();
    expect(await refusalOf(typedIn(line), machine)).toBe(undefined);
  });

  it('names every setting there is', () => {
    const { text = '' } = TOPICS.find(({ name }) => name === 'settings') ?? {};
    const keys = (KNOWN_KEYS[''] ?? []).filter((key) => key !== '$schema');
    expect(keys.filter((key) => !new RegExp(`\\b${key}\\b`).test(text))).toEqual([]);
  });

  it('names every variable that the program reads', () => {
    const { text = '' } = TOPICS.find(({ name }) => name === 'environment') ?? {};
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !/help-topics|sources[\\/]/.test(name),
    );
    const read = sources.flatMap((name) => [
      ...readFileSync(join(root, 'src', name), 'utf8').matchAll(/\benv(?:ironment)?\.((?:PORTOLAN|MCP)_\w+)/g),
    ]);
    const names = [...new Set(read.map((match) => match[1] ?? ''))];
    expect(names.length).toBeGreaterThan(4);
    expect(names.filter((name) => !text.includes(name))).toEqual([]);
  });

  it('ends with 2 where there is none of that name, and lists those there are', async () => {
    using machine = makeMachine();
    const { status, stderr } = await portolan(machine, ['help', 'nothing']);
    expect({ status, lists: TOPICS.every(({ name }) => stderr.includes(name)) }).toEqual({ status: 2, lists: true });
  });
});

describe('exit codes', () => {
  it.each([
    { code: 0, why: 'it is done', args: ['list'] },
    { code: 0, why: 'help was asked for', args: ['--help'] },
    { code: 0, why: 'the version was asked for', args: ['--version'] },
    { code: 0, why: 'its client leaves', args: ['serve', '--daemon', 'never'] },
    { code: 1, why: 'a file is broken', args: ['doctor'] },
    { code: 1, why: 'a server does not start', args: ['tools', 'broken'] },
    { code: 1, why: 'a call fails, whatever the reason', args: ['call', 'nobody', 'nothing'] },
    { code: 1, why: 'no daemon runs', args: ['daemon', 'status'] },
    { code: 2, why: 'there is no such command', args: ['lsit'] },
    { code: 2, why: 'there is no such flag', args: ['list', '--jsn'] },
    { code: 2, why: 'there is no such server', args: ['why', 'nobody'] },
    { code: 2, why: 'there is no such server to list', args: ['tools', 'nobody'] },
    { code: 2, why: 'there is no such server to look into', args: ['inspect', 'nobody', 'nothing'] },
    { code: 2, why: 'there is no such client', args: ['install', 'nobody'] },
    { code: 1, why: 'the arguments of a call are no JSON', args: ['call', 'broken', 'x', '--args', '{'] },
    { code: 1, why: 'an argument of a call is no pair', args: ['call', 'broken', 'x', 'y'] },
    { code: 2, why: 'a call has no tool', args: ['call', 'broken'] },
    { code: 2, why: 'a call has a flag that there is not', args: ['call', 'broken', 'x', '--nope'] },
    { code: 2, why: 'a call has its arguments twice', args: ['call', 'broken', 'x', 'a=b', '--args', '{}'] },
    { code: 3, why: 'it takes a person', args: ['approve', 'waiting'] },
  ])('$args ends with $code: $why', async ({ code, args }) => {
    using machine = makeMachine();
    machine.write({
      '~/.cursor/mcp.json': '{"mcpServers":{"broken":{"command":"portolan-has-no-such-program"}}}',
      '~/.codex/config.toml': '[[',
      '<project>/mcp-servers/waiting.json': '{"mcpServers":{"waiting":{"command":"node","args":["x.js"]}}}',
    });
    // Not where the daemon of whoever runs the tests would be.
    const env = { MCP_BRIDGE_SOCKET: join(machine.home, 'none.sock') };
    expect((await portolan(machine, args, env)).status).toBe(code);
  });

  it('are all on the page about them', () => {
    const { text = '' } = TOPICS.find(({ name }) => name === 'exit-codes') ?? {};
    expect([...text.matchAll(/^ {2}(\d) {3}/gm)].map((match) => match[1])).toEqual(['0', '1', '2', '3']);
  });
});
