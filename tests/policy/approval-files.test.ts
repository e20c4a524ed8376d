import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DiscoverOptions, type Discovery, scanMachine, toRecord } from '../../src/discovery/index.js';
import { type ApprovalQuestion, questionAbout, recordRuling, writeLock } from '../../src/use-cases/index.js';
import { portolan } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

const FILE = '<project>/.mcp.json';
const NOW = new Date('2026-01-02T03:04:05Z');
const MB = 1024 * 1024;

type Files = Readonly<Record<string, string | Uint8Array>>;

function machineWith(entry: object, files: Files = {}, file = FILE): Machine {
  const machine = makeMachine();
  mkdirSync(join(machine.project, '.git'));
  machine.write({
    [file]: JSON.stringify({ [file.endsWith('.vscode/mcp.json') ? 'servers' : 'mcpServers']: { own: entry } }),
    ...files,
  });
  return machine;
}

const scan = (machine: Machine, more: Partial<DiscoverOptions> = {}): Promise<Discovery> =>
  scanMachine(machine.options({ env: { PATH: process.env.PATH }, ...more }));

const stateOf = async (machine: Machine, more?: Partial<DiscoverOptions>) =>
  (await scan(machine, more)).servers.map(toRecord)[0]?.state;

async function ask(
  machine: Machine,
  more?: Partial<DiscoverOptions>,
): Promise<{ question: ApprovalQuestion; discovery: Discovery }> {
  const discovery = await scan(machine, more);
  const [server] = discovery.servers;
  if (!server) throw new Error('there is no server');
  return { question: questionAbout(server, discovery), discovery };
}

async function approve(machine: Machine, more?: Partial<DiscoverOptions>): Promise<ApprovalQuestion> {
  const { question, discovery } = await ask(machine, more);
  await recordRuling([question.server.definition], 'approved', discovery, NOW);
  return question;
}

/** Stores an approval in the format from before files were covered. */
async function approveWithoutFiles(machine: Machine): Promise<void> {
  await approve(machine);
  const { approvals, approvalFiles } = await scan(machine);
  const old = [...approvals.rulings].map(([seal, { content: _, ...ruling }]) => [seal, ruling] as const);
  writeFileSync(approvalFiles.approvals, approvals.written(new Map(old)));
}

const VSCODE = '<project>/.vscode/mcp.json';
const WITH_ENV_FILE = { command: 'node', args: ['x'], envFile: '${workspaceFolder}/.env' };
const SCRIPT = { command: 'python3', args: ['./server.py'] };

describe('an approval covers', () => {
  it.each<{ title: string; entry: object; files: Files; change: Files; file?: string }>([
    {
      title: 'a headers helper in the project',
      entry: { type: 'http', url: 'https://h.example/', headersHelper: './bin/headers.sh --json' },
      files: { '<project>/bin/headers.sh': 'echo 1' },
      change: { '<project>/bin/headers.sh': 'echo 2' },
    },
    {
      title: 'a script that a headers helper runs, outside the project',
      entry: { type: 'http', url: 'https://h.example/', headersHelper: 'node ~/headers.mjs' },
      files: { '~/headers.mjs': '1' },
      change: { '~/headers.mjs': '2' },
    },
    {
      title: 'an env file outside the project',
      entry: { command: 'node', envFile: '${userHome}/shared.txt' },
      files: { '~/shared.txt': 'A=1' },
      change: { '~/shared.txt': 'A=2' },
      file: VSCODE,
    },
    { title: 'a script', entry: SCRIPT, files: { '<project>/server.py': '1' }, change: { '<project>/server.py': '2' } },
    {
      title: 'a script that did not exist at the time of the approval',
      entry: SCRIPT,
      files: {},
      change: { '<project>/server.py': '2' },
    },
    {
      title: 'a configuration file',
      entry: { command: 'mcp-x', args: ['--config=conf/a.json'] },
      files: { '<project>/conf/a.json': '{}' },
      change: { '<project>/conf/a.json': '{ }' },
    },
    {
      title: 'a Python module',
      entry: { command: 'python3', args: ['-m', 'app.server'] },
      files: { '<project>/app/server.py': '1' },
      change: { '<project>/app/server.py': '2' },
    },
    {
      title: 'a script in a directory that the command line names',
      entry: { command: 'uv', args: ['run', '--directory', 'tools', 'server.py'] },
      files: { '<project>/tools/server.py': '1' },
      change: { '<project>/tools/server.py': '2' },
    },
    {
      title: 'a Python module in a directory of PYTHONPATH',
      entry: { command: 'python3', args: ['-m', 'server'], env: { PYTHONPATH: 'lib:src' } },
      files: { '<project>/src/server.py': '1' },
      change: { '<project>/src/server.py': '2' },
    },
    {
      title: 'a script with a path that is not normalized',
      entry: { command: 'node', args: [`${'./'.repeat(3_000)}sub/../server.mjs`] },
      files: { '<project>/server.mjs': '1', '<project>/sub/x': '' },
      change: { '<project>/server.mjs': '2' },
    },
    {
      title: 'the package that npx finds in the project',
      entry: { command: 'npx', args: ['some-mcp@1.0.0'] },
      files: { '<project>/node_modules/.bin/some-mcp': '#!/bin/sh' },
      change: { '<project>/node_modules/.bin/some-mcp': '#!/bin/sh -e' },
    },
    {
      title: 'the file of --env-file',
      entry: { command: 'node', args: ['--env-file=.env', 'x'] },
      files: { '<project>/.env': 'A=1' },
      change: { '<project>/.env': 'A=2' },
    },
  ])('$title', async ({ entry, files, change, file }) => {
    using machine = machineWith(entry, files, file);
    await approve(machine);
    expect(await stateOf(machine)).toBe('ready');
    machine.write(change);
    expect(await stateOf(machine)).toBe('pending-approval');
    await approve(machine);
    expect(await stateOf(machine)).toBe('ready');
  });

  it('each approved content: after a change back, for example of the branch, the server is ready', async () => {
    using machine = machineWith(SCRIPT, { '<project>/server.py': '1' });
    await approve(machine);
    machine.write({ '<project>/server.py': '2' });
    await approve(machine);
    for (const text of ['1', '2']) {
      machine.write({ '<project>/server.py': text });
      expect(await stateOf(machine)).toBe('ready');
    }
  });

  it('no package that a package runner downloads, so an older approval stays valid', async () => {
    using machine = machineWith({ command: 'npx', args: ['-y', 'some-package'] });
    await approveWithoutFiles(machine);
    expect(await stateOf(machine)).toBe('ready');
  });

  it('no file if it is older than the covered files, and then has to be repeated once', async () => {
    using machine = machineWith(SCRIPT, { '<project>/server.py': '1' });
    await approveWithoutFiles(machine);
    const { question } = await ask(machine);
    expect(question).toMatchObject({
      because: 'files',
      changes: ['the earlier approval does not cover files; a new approval does'],
    });
    await approve(machine);
    expect(await stateOf(machine)).toBe('ready');
  });

  it('files without a change of the fingerprint and of the lock file', async () => {
    using machine = machineWith(SCRIPT, { '<project>/server.py': '1' });
    await approve(machine);
    const before = await scan(machine);
    const lock = readFileSync((await writeLock(before)).path, 'utf8');
    machine.write({ '<project>/server.py': '2' });
    await approve(machine);
    const after = await scan(machine);
    expect(after.servers.map(toRecord)[0]?.fingerprint).toBe(before.servers.map(toRecord)[0]?.fingerprint);
    expect(readFileSync((await writeLock(after)).path, 'utf8')).toBe(lock);
  });
});

describe('the approval question', () => {
  it('names the variables of an env file without their values, also in approvals.json', async () => {
    using machine = machineWith(WITH_ENV_FILE, { '<project>/.env': 'KEEP=same\nKEY=canary-1\nOLD=x\n' }, VSCODE);
    const first = await approve(machine);
    expect(first.files).toEqual(['.env (env file; sets KEEP, KEY, OLD)']);
    machine.write({ '<project>/.env': 'KEEP=same\nKEY=canary-2\nLD_PRELOAD=./x.so\n' });
    const { question } = await ask(machine);
    const env = join(machine.project, '.env');
    expect(question.changes).toEqual([
      `${env} sets now LD_PRELOAD`,
      `${env} has another value for KEY`,
      `${env} sets no longer OLD`,
    ]);
    expect(question.notes[0]).toBe(
      'its env file sets LD_PRELOAD: it decides which libraries the system loads into the server',
    );
    expect(JSON.stringify(question)).not.toContain('canary');
    expect(readFileSync(machine.path('~/.config/portolan/approvals.json'), 'utf8')).not.toContain('canary');
  });

  it('shows changed and added lines of a script, but only line numbers of other files', async () => {
    const entry = { command: 'python3', args: ['server.py', 'conf.json'] };
    const files = { '<project>/server.py': 'a\nb\nc\nd\n', '<project>/conf.json': '{\n"pin": 1\n}\n' };
    using machine = machineWith(entry, files);
    await approve(machine);
    machine.write({ '<project>/server.py': 'a\nB\nc\nnew\nd\n', '<project>/conf.json': '{\n"pin": 2\n}\n' });
    const { question } = await ask(machine);
    expect(question.changes).toEqual([
      `${join(machine.project, 'server.py')} changed:`,
      '  2: B',
      '  4: new',
      '  lines removed or replaced: 1',
      `${join(machine.project, 'conf.json')} changed:`,
      '  2: changed or added (not shown: it may hold a secret)',
      '  lines removed or replaced: 1',
    ]);
  });

  it.each(['compose.yaml', 'docker-compose.override.yml', 'bunfig.toml', 'mise.toml', '.npmrc'])(
    'shows no line of %s, which can hold passwords',
    async (name) => {
      using machine = machineWith({ command: 'bun', args: ['run', 'mcp'] }, { [`<project>/${name}`]: 'a' });
      await approve(machine);
      machine.write({ [`<project>/${name}`]: 'canary' });
      const { question } = await ask(machine);
      expect(question.changes).toHaveLength(3);
      expect(JSON.stringify(question)).not.toContain('canary');
    },
  );

  it.each([
    { name: 'PATH', effect: 'in which directories programs are searched' },
    { name: 'NODE_OPTIONS', effect: 'Node.js loads' },
    { name: 'LD_LIBRARY_PATH', effect: 'libraries' },
    { name: 'DYLD_INSERT_LIBRARIES', effect: 'libraries' },
    { name: 'PYTHONPATH', effect: 'Python loads' },
  ])('describes the effect if the entry sets $name', async ({ name, effect }) => {
    using machine = machineWith({ command: 'mcp-x', env: { [name]: '/x' } });
    const { question } = await ask(machine);
    expect(question.notes[0]).toMatch(new RegExp(`^its entry sets ${name}: .*${effect}`));
  });

  it('lists what is not covered', async () => {
    using machine = machineWith(SCRIPT, { '<project>/server.py': '1' });
    expect((await ask(machine)).question.notes).toEqual([
      'not covered: files that these files import or read, and everything that the command downloads',
    ]);
    using other = machineWith({ command: 'npx', args: ['-y', 'some-package'] });
    expect((await ask(other)).question.notes).toEqual([
      'only the entry is covered: no file, and nothing that the command downloads or reads',
    ]);
  });

  it('notes that of a file over 10 MB only size, inode, first and last MB are covered', async () => {
    using machine = machineWith(
      { command: 'mcp-x', args: ['model.bin'] },
      { '<project>/model.bin': Buffer.alloc(11 * MB) },
    );
    const path = machine.path('<project>/model.bin');
    const { notes } = await approve(machine);
    expect(notes[0]).toBe('model.bin is large: only its size, its inode and its first and last MB are checked');
    const bytes = Buffer.alloc(11 * MB);
    bytes[5 * MB] = 1;
    writeFileSync(path, bytes);
    expect(await stateOf(machine)).toBe('ready');
    for (const at of [MB - 1, 10 * MB]) {
      const changed = Buffer.alloc(11 * MB);
      changed[at] = 1;
      writeFileSync(path, changed);
      expect(await stateOf(machine)).toBe('pending-approval');
    }
    writeFileSync(path, Buffer.alloc(11 * MB));
    truncateSync(path, 11 * MB + 1);
    expect(await stateOf(machine)).toBe('pending-approval');
  });

  it.skipIf(process.platform === 'win32')(
    'notes that the content of a FIFO is not checked, and does not open it',
    async () => {
      using machine = machineWith({ command: 'mcp-x', args: ['./pipe', '/dev/zero'] });
      execFileSync('mkfifo', [machine.path('<project>/pipe')]);
      const { notes, files } = await approve(machine);
      expect(files).toEqual(['pipe']);
      expect(notes[0]).toBe('the content of pipe is not checked: it is not a regular file');
      expect(await stateOf(machine)).toBe('ready');
      execFileSync('rm', [machine.path('<project>/pipe')]);
      machine.write({ '<project>/pipe': 'text' });
      expect(await stateOf(machine)).toBe('pending-approval');
    },
  );

  it.each([
    { title: 'words', entry: { command: 'mcp-x', args: Array.from({ length: 3_000 }, (_, n) => `w${n}`) } },
    {
      title: 'words for an interpreter and directories',
      entry: { command: 'npx', args: ['tsx', 'd1', 'd2', 'd3', ...Array.from({ length: 1_500 }, (_, n) => `w${n}`)] },
    },
  ])('notes that an entry names too many $title, and the server stays blocked', async ({ entry }) => {
    using machine = machineWith(entry);
    for (const name of ['d1', 'd2', 'd3']) mkdirSync(join(machine.project, name));
    expect((await approve(machine)).notes[0]).toContain('names more files than can be checked');
    expect(await stateOf(machine)).toBe('blocked-by-policy');
  });

  it('marks letters of another script in a name, as list and doctor do', async () => {
    using machine = makeMachine();
    machine.write({ [FILE]: JSON.stringify({ mcpServers: { gооd: { command: 'x' } } }) });
    const { stdout: listed } = await portolan(machine, ['list']);
    expect(listed).toContain('gооd (mixed letters)');
    const warning = 'its name mixes Latin and Cyrillic letters and may imitate another name: letter 2 is о (U+043E)';
    for (const args of [['approve'], ['doctor']]) expect((await portolan(machine, args)).stdout).toContain(warning);
  });
});

describe('"approval.files"', () => {
  const changed = async (files: string, scope = 'project') => {
    const machine = machineWith(SCRIPT, { '<project>/server.py': '1' });
    machine.write({ '~/.config/portolan/portolan.config.json': JSON.stringify({ approval: { files, scope } }) });
    await approve(machine);
    machine.write({ '<project>/server.py': '2' });
    return machine;
  };

  it.each([
    { files: 'ask', state: 'pending-approval', problems: [] },
    { files: 'warn', state: 'ready', problems: ['files-changed'] },
    { files: 'off', state: 'ready', problems: [] },
  ])('$files: the server is $state', async ({ files, state, problems }) => {
    using machine = await changed(files);
    const discovery = await scan(machine);
    expect(discovery.servers.map(toRecord)[0]?.state).toBe(state);
    expect(discovery.problems.map(({ code }) => code)).toEqual(problems);
  });

  it('cannot be weakened by the settings of a project', async () => {
    using machine = machineWith(SCRIPT, { '<project>/server.py': '1' });
    machine.write({ '<project>/portolan.config.json': JSON.stringify({ approval: { files: 'off' } }) });
    await approve(machine);
    machine.write({ '<project>/server.py': '2' });
    expect(await stateOf(machine)).toBe('pending-approval');
  });

  it('applies to servers of the user only if these need approval', async () => {
    using machine = makeMachine();
    const entry = { command: 'python3', args: ['server.py'], envFile: machine.path('~/own.env') };
    machine.write({
      '~/own.env': 'A=1',
      '~/.config/Code/User/mcp.json': JSON.stringify({ servers: { own: entry } }),
    });
    const state = (scope: string) =>
      stateOf(machine, { platform: 'linux', settings: { approval: scope === 'all' ? 'all' : 'project' } });
    expect(await state('project')).toBe('ready');
    machine.write({ '~/own.env': 'A=2' });
    expect(await state('project')).toBe('ready');
    await approve(machine, { platform: 'linux', settings: { approval: 'all' } });
    expect(await state('all')).toBe('ready');
    machine.write({ '~/own.env': 'A=3' });
    expect([await state('all'), await state('project')]).toEqual(['pending-approval', 'ready']);
  });
});
