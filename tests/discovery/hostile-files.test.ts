import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskFiles, type Files } from '../../src/base/index.js';
import { discover } from '../../src/discovery/index.js';
import { Problem, type ScanResult } from '../../src/model/index.js';
import { failingOn } from '../fakes/memory-files.js';
import { type Machine, makeMachine } from '../support/machine.js';

const onWindows = process.platform === 'win32';
const MEGABYTE = 1024 * 1024;

/** Servers of other clients. They must stay listed whatever the tested file contains. */
const OTHERS: Readonly<Record<string, string>> = {
  '~/.claude.json': '{"mcpServers":{"claude":{"command":"node"}}}',
  '~/.codex/config.toml': '[mcp_servers.codex]\ncommand = "node"\n',
  '~/MCPs/one.json': '{"mcpServers":{"folder":{"command":"node"}}}',
  '<project>/.roo/mcp.json': '{"mcpServers":{"roo":{"command":"node"}}}',
};
const OTHER_NAMES = ['folder', 'claude', 'codex', 'roo'];

function withOthers(): Machine {
  const machine = makeMachine();
  machine.write(OTHERS);
  mkdirSync(machine.path('~/.cursor'));
  return machine;
}

const fifo = (path: string): void => void execFileSync('mkfifo', [path]);
const large = (path: string): void => {
  const descriptor = openSync(path, 'w');
  ftruncateSync(descriptor, 16 * MEGABYTE + 1);
  closeSync(descriptor);
};
const loop = (path: string): void => {
  symlinkSync(`${path}.other`, path);
  symlinkSync(path, `${path}.other`);
};

describe.skipIf(onWindows)('instead of a config file', () => {
  it.each<{ title: string; make: (path: string) => void; message: RegExp }>([
    { title: 'a FIFO', make: fifo, message: /not a regular file/ },
    { title: 'a folder', make: (path) => mkdirSync(path), message: /is a directory/ },
    { title: 'a link that points to itself', make: loop, message: /points to itself/ },
    {
      title: 'a link to an endless device',
      make: (path) => symlinkSync('/dev/zero', path),
      message: /not a regular file/,
    },
    { title: 'a link to a folder', make: (path) => symlinkSync('/', path), message: /is a directory/ },
    { title: 'a file of more than 16 MB', make: large, message: /larger than 16 MB/ },
  ])('$title is a problem, and the other servers stay listed', async ({ make, message }) => {
    using machine = withOthers();
    const path = machine.path('~/.cursor/mcp.json');
    make(path);
    const { definitions, problems } = await discover(machine.options());
    expect(definitions.map(({ name }) => name)).toEqual(OTHER_NAMES);
    expect(problems).toEqual([
      {
        code: 'unreadable-file',
        severity: 'error',
        source: path,
        message: expect.stringMatching(message),
        hint: expect.stringMatching(/./),
      },
    ]);
  });

  it('a socket is a problem, and the other servers stay listed', async () => {
    using machine = withOthers();
    const path = machine.path('~/.cursor/mcp.json');
    const server = createServer();
    await new Promise<void>((done) => server.listen(path, done));
    const { definitions, problems } = await discover(machine.options());
    await new Promise((done) => server.close(done));
    expect(definitions.map(({ name }) => name)).toEqual(OTHER_NAMES);
    expect(problems).toMatchObject([{ code: 'unreadable-file', source: path }]);
  });

  it.each<{ title: string; make: (path: string) => void }>([
    { title: 'a dangling link', make: (path) => symlinkSync('/nowhere/at/all', path) },
    { title: 'no file', make: () => {} },
  ])('$title is not a problem', async ({ make }) => {
    using machine = withOthers();
    make(machine.path('~/.cursor/mcp.json'));
    const { definitions, problems } = await discover(machine.options());
    expect({ names: definitions.map(({ name }) => name), problems }).toEqual({ names: OTHER_NAMES, problems: [] });
  });

  it('a link to a file is read, with the path of the link as source', async () => {
    using machine = withOthers();
    const path = machine.path('~/.cursor/mcp.json');
    writeFileSync(machine.path('~/elsewhere'), '{"mcpServers":{"linked":{"command":"node"}}}');
    symlinkSync(machine.path('~/elsewhere'), path);
    const { definitions } = await discover(machine.options({ clients: ['cursor'] }));
    expect(definitions).toMatchObject([{ name: 'linked', source: path }]);
  });

  it('a file of exactly 16 MB is read', async () => {
    using machine = withOthers();
    const text = '{"mcpServers":{"padded":{"command":"node"}}}';
    writeFileSync(machine.path('~/.cursor/mcp.json'), text.padEnd(16 * MEGABYTE));
    const { definitions, problems } = await discover(machine.options({ clients: ['cursor'] }));
    expect({ names: definitions.map(({ name }) => name), problems }).toEqual({ names: ['padded'], problems: [] });
  });

  it('a parent directory that is a link to itself is a problem for each file in it', async () => {
    using machine = withOthers();
    loop(machine.path('~/.gemini'));
    const { definitions, problems } = await discover(machine.options());
    expect(definitions.map(({ name }) => name)).toEqual(OTHER_NAMES);
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) {
      expect(problem).toMatchObject({ code: 'unreadable-file', source: expect.stringContaining('/.gemini') });
    }
  });
});

describe.skipIf(onWindows)('in a directory of config files', () => {
  it('directories and dangling links are skipped, and each unreadable file is a problem', async () => {
    using machine = withOthers();
    const inside = (name: string) => machine.path(`~/MCPs/${name}`);
    mkdirSync(inside('a-folder.json'));
    symlinkSync(inside('a-folder.json'), inside('b-link-to-folder.json'));
    symlinkSync('/nowhere/at/all', inside('c-dangling.json'));
    fifo(inside('d-fifo.json'));
    loop(inside('e-loop.json'));
    writeFileSync(inside('f-broken.json'), '{\n"mcpServers": {\n');
    writeFileSync(inside('g-other.txt'), '{');
    const { definitions, problems } = await discover(machine.options());
    expect(definitions.map(({ name }) => name)).toEqual(OTHER_NAMES);
    expect(problems).toMatchObject([
      { code: 'unreadable-file', source: inside('d-fifo.json') },
      { code: 'unreadable-file', source: inside('e-loop.json') },
      { code: 'parse-error', source: inside('f-broken.json'), line: 3 },
    ]);
  });

  it('a file instead of the directory is not a problem', async () => {
    using machine = withOthers();
    machine.write({ '~/.config/mcp/servers': '{}' });
    const { definitions, problems } = await discover(machine.options());
    expect({ names: definitions.map(({ name }) => name), problems }).toEqual({ names: OTHER_NAMES, problems: [] });
  });
});

const UNPRIVILEGED_UID = 65_534;

/** Runs `discover` as a user without root permissions. */
async function discoverUnprivileged(machine: Machine): Promise<ScanResult> {
  if (process.getuid?.() !== 0) return discover(machine.options());
  execFileSync('chmod', ['a+rx', dirname(machine.home)]);
  await discover(machine.options()); // loads every parser, which the other user may not read
  process.seteuid?.(UNPRIVILEGED_UID);
  try {
    return await discover(machine.options());
  } finally {
    process.seteuid?.(0);
  }
}

describe.skipIf(onWindows)('without permission', () => {
  it('each file and directory is a problem, and the other servers stay listed', async () => {
    using machine = withOthers();
    machine.write({
      '~/.cursor/mcp.json': '{"mcpServers":{"secret":{"command":"node"}}}',
      '~/.config/mcp/servers/one.json': '{"mcpServers":{"secret":{"command":"node"}}}',
      '~/.gemini/extensions/locked/gemini-extension.json': '{"mcpServers":{"secret":{"command":"node"}}}',
      '~/.gemini/extensions/open/gemini-extension.json': '{"mcpServers":{"open":{"command":"node"}}}',
    });
    chmodSync(machine.path('~/.cursor/mcp.json'), 0);
    chmodSync(machine.path('~/.config/mcp/servers'), 0);
    chmodSync(machine.path('~/.gemini/extensions/locked'), 0);
    const { definitions, problems } = await discoverUnprivileged(machine);
    expect(definitions.map(({ name }) => name).sort()).toEqual([...OTHER_NAMES, 'open'].sort());
    expect(problems).toMatchObject(
      ['~/.config/mcp/servers', '~/.cursor/mcp.json', '~/.gemini/extensions/locked/gemini-extension.json'].map(
        (path) => ({
          code: 'unreadable-file',
          source: machine.path(path),
          message: 'it cannot be read: permission denied',
        }),
      ),
    );
    chmodSync(machine.path('~/.config/mcp/servers'), 0o755);
    chmodSync(machine.path('~/.gemini/extensions/locked'), 0o755);
  });
});

describe('each file access', () => {
  const files = { ...OTHERS, '~/.cursor/mcp.json': '{"mcpServers":{"cursor":{"command":"node"}}}' };

  it('can fail without losing the servers of other files', async () => {
    using machine = makeMachine();
    machine.write(files);
    const options = (disk: Files) => machine.options({ files: disk });
    const whole = failingOn(0, diskFiles);
    const all = (await discover(options(whole))).definitions;
    const asked = whole.asked();
    expect(all).toHaveLength(5);
    for (const [n, path] of asked.entries()) {
      // An invalid settings file of Portolan ends the start, which other tests cover.
      if (/[\\/](anygpt|portolan)\.config\.|managed-settings\.json$/.test(path)) continue;
      const { definitions, problems } = await discover(options(failingOn(n + 1, diskFiles)));
      const lost = all.filter((one) => !definitions.some((other) => other.name === one.name));
      expect({ path, others: lost.filter(({ source }) => source !== path && !source.startsWith(`${path}/`)) }).toEqual({
        path,
        others: [],
      });
      // A lost definition is always reported. A failed check beside the entries may only change a state.
      if (lost.length > 0) expect(problems).toMatchObject([{ code: 'unreadable-file', source: path }]);
      for (const problem of problems) expect(Problem.parse(problem)).toEqual(problem);
    }
  }, 120_000);
});
