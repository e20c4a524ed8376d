import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StdioClient } from '../support/client-over-stdio.js';
import { type InstalledCopy, installCopy } from '../support/installed-copy.js';
import { makeMachine } from '../support/machine.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const json = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const isWindows = process.platform === 'win32';

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', shell: isWindows, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The parameters of a stdio transport of both SDK versions. */
interface NpxStart {
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly stderr: 'ignore';
}

const STEPS = ['found', 'approved', 'search', 'details', 'execute', 'run_python'];

/** The completed steps of the tour, from its output. */
function stepsIn(output: string): string[] {
  return output.split('\n').flatMap((line) => /^(\w+) +\d+ ms {2}\S/.exec(line)?.[1] ?? []);
}

describe('the package', () => {
  const manifest = json('package.json');
  const server = json('server.json');

  it('has the same version and name in package.json, server.json and on the command line', () => {
    const printed = spawnSync(process.execPath, [join(root, manifest.bin.portolan), '--version'], { encoding: 'utf8' });
    expect({
      name: server.name,
      identifiers: server.packages.map((one: { identifier: string }) => one.identifier),
      versions: [server.version, ...server.packages.map((one: { version: string }) => one.version)],
      printed: printed.stdout,
    }).toEqual({
      name: manifest.mcpName,
      identifiers: [manifest.name],
      versions: [manifest.version, manifest.version],
      printed: `${manifest.version}\n`,
    });
  });

  it('is described as the MCP Registry requires', () => {
    // The requirements of the schema of 2025-12-11 for these fields. The schema itself is not in the repository.
    expect(server).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name: expect.stringMatching(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
      title: expect.stringMatching(/^.{1,100}$/),
      description: expect.stringMatching(/^.{1,100}$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      packages: [
        {
          registryType: 'npm',
          identifier: expect.any(String),
          version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
          runtimeHint: 'npx',
          transport: { type: 'stdio' },
          environmentVariables: expect.any(Array),
        },
      ],
    });
    for (const variable of server.packages[0].environmentVariables) {
      const known = ['name', 'description', 'format', 'isRequired', 'choices', 'default', 'isSecret', 'value'];
      expect(Object.keys(variable).filter((key) => !known.includes(key))).toEqual([]);
      expect(variable).toMatchObject({ name: expect.stringMatching(/^[A-Z_]+$/), description: expect.any(String) });
    }
  });

  it('would be published without a warning and without unneeded files', () => {
    const { status, stderr } = spawnSync('npm', ['publish', '--dry-run', '--ignore-scripts', '--json'], {
      cwd: root,
      encoding: 'utf8',
      shell: isWindows,
    });
    // A dry run needs no login, and the npm settings of the user do not matter.
    const warnings = stderr.split('\n').filter((line) => /^npm (?:warn|error)/i.test(line));
    const ours = warnings.filter((line) => !/logged in|Unknown \w+ config/i.test(line));
    expect({ status, ours }).toEqual({ status: 0, ours: [] });
    const [packed] = JSON.parse(npm(['pack', '--dry-run', '--ignore-scripts', '--json'], root));
    const paths: string[] = packed.files.map((file: { path: string }) => file.path);
    const needed = /^(?:dist\/|package\.json$|README\.md$|CHANGELOG\.md$|LICENSE$)/;
    expect(paths.filter((path) => !needed.test(path) || /\.test\.|\.map$|\.tsbuildinfo$/.test(path))).toEqual([]);
    const entries = [...Object.values(manifest.bin), 'dist/index.js', 'dist/schemas.js', 'dist/types/index.d.ts'];
    expect(entries.filter((entry) => !paths.includes(String(entry)))).toEqual([]);
    expect(packed.unpackedSize).toBeLessThan(4_000_000);
  });
});

describe('a fresh clone', () => {
  it('runs the tour with npm start, without a previous installation', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-clone-'));
    try {
      // Only files of the repository, without generated ones.
      const isMade = /[\\/](?:node_modules|dist|coverage|\.git)$/;
      cpSync(root, folder, { recursive: true, filter: (path) => path === root || !isMade.test(path) });
      using machine = makeMachine();
      const { status, stdout } = spawnSync('npm', ['start'], {
        cwd: folder,
        env: { ...process.env, HOME: machine.home, USERPROFILE: machine.home, ...npmCache() },
        encoding: 'utf8',
        shell: isWindows,
      });
      expect({ status, steps: stepsIn(stdout) }).toEqual({ status: 0, steps: STEPS });
      expect(stdout).toContain(join(folder, 'dist'));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Keeps the npm cache, because npm would fetch everything again with a throw-away home. */
function npmCache(): Record<string, string> {
  return { npm_config_cache: npm(['config', 'get', 'cache'], root).trim() };
}

describe('a copy that is installed from the tarball', () => {
  let copy: InstalledCopy | undefined;
  let reason = '';
  let folder: string;
  let program: string;

  beforeAll(() => {
    const installation = installCopy();
    if (installation.kind === 'unreachable') {
      ({ reason } = installation);
      return;
    }
    ({ copy } = installation);
    ({ project: folder, program } = copy);
  }, 300_000);
  beforeEach((context) => context.skip(copy === undefined, reason));
  afterAll(() => copy?.[Symbol.dispose]());

  const environmentOf = (home: string) => ({
    PATH: process.env.PATH ?? '',
    HOME: home,
    USERPROFILE: home,
    PORTOLAN_DAEMON: 'never',
  });

  it('runs the tour, which prints the entry for this copy', () => {
    using machine = makeMachine();
    const bin = join(folder, 'node_modules/.bin/portolan');
    const { status, stdout, stderr } = spawnSync(bin, ['tour'], {
      cwd: machine.project,
      env: environmentOf(machine.home),
      encoding: 'utf8',
      shell: isWindows,
    });
    expect({ status, steps: stepsIn(stdout), stderr }).toEqual({ status: 0, steps: STEPS, stderr: '' });
    expect(stdout).toContain(JSON.stringify(program).slice(1, -1));
  });

  it('lists its tools to a client, and calls a configured server', async () => {
    using machine = makeMachine();
    const example = join(dirname(program), 'examples/weather.js');
    const mcpServers = { weather: { command: process.execPath, args: [example] } };
    machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers }) });
    await using client = new StdioClient({
      command: process.execPath,
      args: [program],
      cwd: machine.project,
      env: environmentOf(machine.home),
    });
    await client.initialize();
    const { tools } = await client.request('tools/list');
    expect(tools).toMatchObject([
      { name: 'list_mcp_servers' },
      { name: 'search_tools' },
      { name: 'list_tools' },
      { name: 'get_tool_details' },
      { name: 'execute_tool' },
      { name: 'run_python' },
    ]);
    const { structuredContent } = await client.execute('weather', 'get_forecast', { city: 'Oslo' });
    expect(structuredContent).toEqual({ city: 'Oslo', sky: 'cloudy', highC: 6, rainMm: 1 });
  });

  it.each([
    {
      title: 'of the legacy protocol',
      connect: async (npx: NpxStart) => {
        const client = new OldClient({ name: 'test', version: '1' });
        await client.connect(new OldTransport(npx));
        return client;
      },
    },
    {
      title: 'of the modern protocol',
      connect: async (npx: NpxStart) => {
        const client = new NewClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
        await client.connect(new NewTransport(npx));
        return client;
      },
    },
  ])('is started by a client $title with npx --no-install portolan, and serves a call', async ({ connect }) => {
    using machine = makeMachine();
    const example = join(dirname(program), 'examples/weather.js');
    const mcpServers = { weather: { command: process.execPath, args: [example] } };
    machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers }) });
    const client = await connect({
      ...{ command: isWindows ? 'npx.cmd' : 'npx', args: ['--no-install', 'portolan'], cwd: folder, stderr: 'ignore' },
      // Otherwise npm checks for a newer version, which needs a network.
      env: { ...environmentOf(machine.home), npm_config_update_notifier: 'false', npm_config_offline: 'true' },
    });
    try {
      expect(client.getServerVersion()).toMatchObject({ name: 'portolan', version: json('package.json').version });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('execute_tool');
      const { structuredContent } = await client.callTool({
        name: 'execute_tool',
        arguments: { server: 'weather', tool: 'get_forecast', arguments: { city: 'Oslo' } },
      });
      expect(structuredContent).toEqual({ city: 'Oslo', sky: 'cloudy', highC: 6, rainMm: 1 });
    } finally {
      await client.close();
    }
  });

  it('serves over HTTP without other packages', async () => {
    using machine = makeMachine();
    const child = spawn(process.execPath, [program, 'serve', '--http', '127.0.0.1:0'], {
      cwd: machine.project,
      env: environmentOf(machine.home),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      const printed = String((await once(child.stderr, 'data'))[0]);
      const [address = ''] = /http:\/\/\S+/.exec(printed) ?? [];
      const response = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
        }),
      });
      expect({ status: response.status, text: await response.text() }).toEqual({
        status: 200,
        text: expect.stringContaining('"serverInfo"'),
      });
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });

  it('can be imported as a library', () => {
    using machine = makeMachine();
    const code = "import { discover } from 'portolan'; console.log((await discover()).servers.length)";
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: folder,
      env: environmentOf(machine.home),
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '0\n', stderr: '' });
    expect(existsSync(join(folder, 'node_modules/@modelcontextprotocol/server'))).toBe(false);
  });
});
