import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorCode, PortolanError } from '../../src/base/index.js';
import { tourCommand } from '../../src/cli/commands/tour.js';
import type { Io } from '../../src/cli/runtime/command.js';
import { clientEntries, install, knownClients, type TourStep, takeTour } from '../../src/use-cases/index.js';
import { environment, PROGRAM, until } from '../support/client-over-stdio.js';
import { type Machine, makeMachine, PLATFORMS } from '../support/machine.js';

const STEPS = ['found', 'approved', 'search', 'details', 'execute', 'run_python'];

/** A machine with its own temporary directory, so that a test sees every file that is left there. */
function tourMachine(): { machine: Machine; tmp: string; env: Record<string, string> } {
  const machine = makeMachine();
  const tmp = machine.path('/tmp');
  mkdirSync(tmp);
  return { machine, tmp, env: environment(machine, { TMPDIR: tmp, TEMP: tmp, TMP: tmp }) };
}

describe('portolan tour, without a terminal', () => {
  const { machine, tmp, env } = tourMachine();
  let status: number | null;
  let stdout: string;
  let stderr: string;

  beforeAll(() => {
    machine.write({ '~/.cursor/mcp.json': '{"mcpServers":{}}', '~/.codex/config.toml': 'model = "x"\n' });
    const options = { cwd: machine.project, env, encoding: 'utf8' as const };
    ({ status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'tour'], options));
  });
  afterAll(() => machine[Symbol.dispose]());

  it('runs every step, prints one line with the duration for each, and exits with 0', () => {
    const lines = stdout.split('\n').slice(0, STEPS.length);
    expect({ status, stderr, lines }).toEqual({
      status: 0,
      stderr: '',
      lines: STEPS.map((step) => expect.stringMatching(new RegExp(`^${step} +\\d+ ms {2}\\S`))),
    });
    expect(lines.at(-1)).toContain('A-1002 and A-1003');
  });

  it('ends with the entry for each installed client, in the format of the client', () => {
    expect(stdout).toContain('Add this to Cursor, ~/.cursor/mcp.json:\n');
    expect(stdout).toContain(`"${PROGRAM}"`);
    expect(stdout).toMatch(/Add this to [^,]*Codex[^,]*, ~\/\.codex\/config\.toml:\n {2}\[mcp_servers\.portolan\]\n/);
    expect(stdout).toContain(`To add it with a command: node ${PROGRAM} install `);
    expect(stdout).not.toContain('\u001b');
  });

  it('leaves no file and changes none', () => {
    const home = readdirSync(machine.home, { recursive: true }).toSorted();
    expect({ tmp: readdirSync(tmp), home, project: readdirSync(machine.project) }).toEqual({
      tmp: [],
      home: ['.codex', '.codex/config.toml', '.cursor', '.cursor/mcp.json'],
      project: [],
    });
  });
});

it('the tour stops its servers and deletes its directory on SIGINT', async () => {
  const { machine, tmp, env } = tourMachine();
  using _ = machine;
  const child = spawn(process.execPath, [PROGRAM, 'tour'], { cwd: machine.project, env });
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  expect({ code, tmp: readdirSync(tmp) }).toEqual({ code: 1, tmp: [] });
  await until(
    () => processesOf(tmp),
    (left) => left.length === 0,
  );
});

/** Processes with the directory in their environment; none without /proc. */
function processesOf(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder);
    } catch {
      return false; // the process has exited
    }
  });
}

it('the tour fails with a hint if the examples are not built', async () => {
  using machine = makeMachine();
  machine.write({ '~/dist/cli.js': '' });
  const tour = takeTour({
    self: machine.path('~/dist/cli.js'),
    version: '0',
    signal: new AbortController().signal,
    done: () => undefined,
  });
  await expect(tour).rejects.toMatchObject({
    code: 'CONFIG_NOT_FOUND',
    hint: expect.stringContaining('npm run build'),
  });
});

describe('the output of the tour', () => {
  const step: TourStep = { name: 'found', ms: 12.4, did: 'three servers', shown: ['weather, orders, \u001b[2J notes'] };

  async function printed(io: Partial<Io>, take: typeof takeTour, args: readonly string[] = []) {
    using machine = makeMachine();
    machine.write({ '~/cli.js': '' });
    const [out, err]: [string[], string[]] = [[], []];
    const options = machine.options({ self: machine.path('~/cli.js') });
    const whole = {
      colour: false,
      home: machine.home,
      out: (l: string) => out.push(l),
      err: (l: string) => err.push(l),
    };
    const code = await tourCommand('1.2.3', options, take).run(args, { ...whole, ...io });
    return { code, out, err };
  }
  const one: typeof takeTour = async ({ done }) => done(step);
  const failing: typeof takeTour = async ({ begins, done }) => {
    done(step);
    begins?.('search');
    throw new PortolanError(ErrorCode.ConnectionError, 'the gateway did not answer', { hint: 'look at it' });
  };

  it('has details of each step on a terminal, and colours only if they are enabled', async () => {
    const plain = await printed({ isTerminal: true }, one);
    expect(plain.out).toContain('  ✓ found      three servers  12 ms');
    expect(plain.out).toContain('      weather, orders, \\x1b[2J notes');
    expect(plain.out.join('')).not.toContain('\u001b');
    const coloured = await printed({ isTerminal: true, colour: true }, one);
    expect(coloured.out.join('\n')).toContain('\u001b[32m✓\u001b[0m \u001b[1mfound');
  });

  it('names the failed step with a hint, and the tour exits with 1', async () => {
    expect(await printed({}, failing)).toEqual({
      code: 1,
      out: ['found          12 ms  three servers'],
      err: ['search failed: the gateway did not answer\n  look at it'],
    });
  });

  it('names the failed step and its error with --json', async () => {
    const { code, out, err } = await printed({}, failing, ['--json']);
    expect({ code, err, ...JSON.parse(out.join('\n')) }).toEqual({
      code: 1,
      err: [],
      success: false,
      error: {
        code: 'CONNECTION_ERROR',
        message: 'the gateway did not answer',
        step: 'search',
        hint: 'look at it',
      },
    });
  });

  it('is one JSON value with --json', async () => {
    const { code, out } = await printed({}, one, ['--json']);
    expect({ code, ...JSON.parse(out.join('\n')) }).toMatchObject({
      code: 0,
      steps: [step],
      program: { command: process.execPath, args: [expect.stringMatching(/cli\.js$/)] },
      clients: [],
    });
  });

  it('has the usual entry if no client is found', async () => {
    const { out } = await printed({}, one);
    const at = out.indexOf('Add this to the configuration of your AI client:');
    expect(JSON.parse(out.slice(at + 1, out.indexOf('', at)).join('\n'))).toEqual({
      mcpServers: { portolan: { command: process.execPath, args: [expect.stringMatching(/cli\.js$/)] } },
    });
  });
});

describe('the next command', () => {
  const GLOBAL = '~/global/lib/node_modules/portolan/dist/cli.js';
  const SHIM = '#!/bin/sh\nexec node "$basedir/../lib/node_modules/portolan/dist/cli.js" "$@"\n';
  const npx = '~/.npm/_npx/0a1b';

  it.each<{ title: string; self: string; path: string; files?: Record<string, string>; link?: string; typed: string }>([
    {
      title: 'is "portolan" after a global installation',
      self: GLOBAL,
      path: '~/bin',
      link: '~/bin/portolan',
      typed: 'portolan',
    },
    {
      title: 'is "portolan" if PATH has a script that starts the package',
      self: GLOBAL,
      path: '~/bin',
      files: { '~/bin/portolan': SHIM },
      typed: 'portolan',
    },
    { title: 'is the path of the file if PATH has no portolan', self: GLOBAL, path: '~/bin', typed: `node ${GLOBAL}` },
    {
      title: 'is the path of the file if PATH has another program of that name',
      self: GLOBAL,
      path: '~/bin',
      files: { '~/bin/portolan': '#!/bin/sh\n' },
      typed: `node ${GLOBAL}`,
    },
    {
      title: 'is the path of the file if only npm put portolan on PATH',
      self: GLOBAL,
      path: '~/x/node_modules/.bin',
      link: '~/x/node_modules/.bin/portolan',
      typed: `node ${GLOBAL}`,
    },
    {
      title: 'is "npx portolan" from the cache of npx, although npx put portolan on PATH',
      self: `${npx}/node_modules/portolan/dist/cli.js`,
      path: `${npx}/node_modules/.bin`,
      files: { [`${npx}/package.json`]: '{"dependencies":{"portolan":"^1.0.0"}}' },
      link: `${npx}/node_modules/.bin/portolan`,
      typed: 'npx portolan',
    },
  ])('$title', async ({ self, path, files = {}, link, typed }) => {
    using machine = makeMachine();
    machine.write({ ...files, [self]: '' });
    mkdirSync(machine.path(path), { recursive: true });
    if (link) symlinkSync(machine.path(self), machine.path(link));
    for (const file of [self, ...Object.keys(files)]) chmodSync(machine.path(file), 0o755);
    const env = { PATH: machine.path(path) };
    const entries = await clientEntries(machine.options({ self: machine.path(self), env }));
    expect(entries.typed).toBe(typed.replace('~', machine.home));
  });
});

describe('the entry to paste', () => {
  it.each(PLATFORMS)('equals the output of portolan install for every client on %s', async (platform) => {
    const differing: string[] = [];
    let compared = 0;
    for (const client of await knownClients()) {
      using machine = makeMachine();
      const options = machine.options({ platform, self: machine.path('~/portolan/dist/cli.js') });
      machine.write({ '~/portolan/dist/cli.js': '' });
      const path = await fileOf(client, options);
      if (path === undefined) continue;
      const written = readFileSync(path, 'utf8');
      const [entry] = (await clientEntries(options)).clients.filter((one) => one.client === client);
      compared += 1;
      if (entry?.text.trim() !== written.trim() || !entry.isThere || entry.file !== path) differing.push(client);
    }
    expect(differing).toEqual([]);
    expect(compared).toBeGreaterThan(30);
  });

  it('is offered if the directory of the client exists, and not for a parent directory of other programs', async () => {
    using machine = makeMachine();
    for (const folder of ['~/.cursor', '~/.config', '~/.codeium/windsurf']) {
      mkdirSync(machine.path(folder), { recursive: true });
    }
    const { clients } = await clientEntries(machine.options({ platform: 'linux' }));
    expect(clients.map(({ client, isThere }) => ({ client, isThere }))).toEqual([
      { client: 'cursor', isThere: false },
      { client: 'windsurf', isThere: false },
    ]);
  });
});

/** The file in which `install` wrote the entry; undefined if the client has none on this platform. */
async function fileOf(client: string, options: Parameters<typeof install>[1]): Promise<string | undefined> {
  try {
    return (await install(client, options)).file.path;
  } catch (error) {
    if (error instanceof PortolanError && error.code === ErrorCode.NotInstallable) return undefined;
    throw error;
  }
}
