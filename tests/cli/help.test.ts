import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { everyCommand, run } from '../../src/cli/run-command.js';
import { COMMAND_GROUPS, type Command } from '../../src/cli/runtime/command.js';
import { TOPICS } from '../../src/cli/runtime/help-topics.js';
import { KNOWN_KEYS } from '../../src/settings/settings-schema.js';
import { portolan } from '../support/client-over-stdio.js';
import { makeMachine } from '../support/machine.js';
import { programOn, refusalOf, silent, typedIn } from '../support/refused-arguments.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

async function examples(): Promise<{ readonly command: Command; readonly line: string }[]> {
  using machine = makeMachine();
  const commands = await everyCommand(programOn(machine));
  return commands.flatMap((command) => command.examples.map(({ line }) => ({ command, line })));
}

describe('every command', async () => {
  using nowhere = makeMachine();
  const commands = await everyCommand(programOn(nowhere));

  it('has an example, a summary in one line and a description of each flag', () => {
    const missing = commands.flatMap(({ name, summary, usage, options, examples: given }) => [
      ...(given.length === 0 ? [`${name} has no example`] : []),
      ...(summary === '' || summary.includes('\n') ? [`${name} has no summary`] : []),
      ...(usage.startsWith(`portolan ${name}`) ? [] : [`${name} has the usage of another command`]),
      ...Object.entries(options).flatMap(([flag, { about, isHidden }]) =>
        about || isHidden ? [] : [`${name} has no description of --${flag}`],
      ),
    ]);
    expect(missing).toEqual([]);
    expect(commands.length).toBeGreaterThan(25);
  });

  it.each(await examples())('accepts the arguments of its own example: $line', async ({ command, line }) => {
    using machine = makeMachine();
    const args = typedIn(line);
    expect({ named: args[0], refusal: await refusalOf(args, machine) }).toEqual({
      named: command.name,
      refusal: undefined,
    });
  });

  it('rejects an unknown flag, so that the check above can fail', async () => {
    using machine = makeMachine();
    expect(await refusalOf(typedIn('portolan list --no-such-flag'), machine)).toBe(
      'portolan list has no flag --no-such-flag',
    );
    expect(await refusalOf(typedIn('portolan serve --no-such-flag'), machine)).toContain('--no-such-flag');
    expect(await refusalOf(typedIn('portolan tools'), machine)).toBe('portolan tools needs a server');
  });

  it.each(commands.map(({ name }) => name))(
    '%s shows its usage, its flags and its examples with --help',
    async (name) => {
      const output: string[] = [];
      using machine = makeMachine();
      const io = { ...silent, out: (line: string) => output.push(line) };
      expect(await run([name, '--help'], io, programOn(machine))).toBe(0);
      const command = commands.find((one) => one.name === name);
      // The help wraps at the width of the terminal.
      const text = oneLine(output.join('\n'));
      const wanted = [
        oneLine(`usage: ${command?.usage}`),
        ...Object.entries(command?.options ?? {}).flatMap(([flag, { isHidden }]) => (isHidden ? [] : [`--${flag}`])),
        ...(command?.examples ?? []).map(({ line }) => line),
      ];
      expect(wanted.filter((one) => !text.includes(one))).toEqual([]);
      const helpOutput: string[] = [];
      await run(['help', name], { ...silent, out: (line) => helpOutput.push(line) }, programOn(machine));
      // A topic of the same name comes after.
      expect(helpOutput.slice(0, output.length)).toEqual(output);
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
  it.each([40, 60, 120])('limits the list of commands to %i columns', async (columns) => {
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

  it('names every setting', () => {
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

  it('exits with 2 if its name is unknown, and lists the topics', async () => {
    using machine = makeMachine();
    const { status, stderr } = await portolan(machine, ['help', 'unknown']);
    expect({ status, lists: TOPICS.every(({ name }) => stderr.includes(name)) }).toEqual({ status: 2, lists: true });
  });
});

describe('exit codes', () => {
  it.each([
    { code: 0, why: 'success', args: ['list'] },
    { code: 0, why: 'help was requested', args: ['--help'] },
    { code: 0, why: 'the version was requested', args: ['--version'] },
    { code: 0, why: 'the client disconnects', args: ['serve', '--daemon', 'never'] },
    { code: 1, why: 'a file is broken', args: ['doctor'] },
    { code: 1, why: 'a server does not start', args: ['tools', 'broken'] },
    { code: 1, why: 'a call fails, for any reason', args: ['call', 'unknown', 'tool'] },
    { code: 1, why: 'no daemon runs', args: ['daemon', 'status'] },
    { code: 2, why: 'the command is unknown', args: ['lsit'] },
    { code: 2, why: 'the flag is unknown', args: ['list', '--jsn'] },
    { code: 2, why: 'the server is unknown', args: ['why', 'unknown'] },
    { code: 2, why: 'the server whose tools are listed is unknown', args: ['tools', 'unknown'] },
    { code: 2, why: 'the server of the inspected tool is unknown', args: ['inspect', 'unknown', 'tool'] },
    { code: 2, why: 'the client is unknown', args: ['install', 'unknown'] },
    { code: 1, why: 'the arguments of a call are not JSON', args: ['call', 'broken', 'x', '--args', '{'] },
    { code: 1, why: 'an argument of a call is not a key=value pair', args: ['call', 'broken', 'x', 'y'] },
    { code: 2, why: 'a call has no tool', args: ['call', 'broken'] },
    { code: 2, why: 'a call has an unknown flag', args: ['call', 'broken', 'x', '--nope'] },
    { code: 2, why: 'a call has its arguments twice', args: ['call', 'broken', 'x', 'a=b', '--args', '{}'] },
    { code: 3, why: 'the command needs a terminal', args: ['approve', 'waiting'] },
  ])('$args exits with $code: $why', async ({ code, args }) => {
    using machine = makeMachine();
    machine.write({
      '~/.cursor/mcp.json': '{"mcpServers":{"broken":{"command":"portolan-has-no-such-program"}}}',
      '~/.codex/config.toml': '[[',
      '<project>/mcp-servers/waiting.json': '{"mcpServers":{"waiting":{"command":"node","args":["x.js"]}}}',
    });
    // Keeps the test away from the real daemon of the user.
    const env = { MCP_BRIDGE_SOCKET: join(machine.home, 'none.sock') };
    expect((await portolan(machine, args, env)).status).toBe(code);
  });

  it('are all listed on their help page', () => {
    const { text = '' } = TOPICS.find(({ name }) => name === 'exit-codes') ?? {};
    expect([...text.matchAll(/^ {2}(\d) {3}/gm)].map((match) => match[1])).toEqual(['0', '1', '2', '3']);
  });
});
