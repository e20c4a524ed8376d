import { describe, expect, it } from 'vitest';
import { discover } from '../../src/discovery/index.js';
import { Dice, damaged, malformedFile } from '../fixtures/servers/malformed.js';
import type { Json } from '../support/gateway-harness.js';
import { makeMachine } from '../support/machine.js';
import { MAX_STALL_MS, printFigures, TIMES } from './support/malformed-input.js';

const FILES = 4_000 * TIMES;
const SEED = 20_260_730;

const entry = { command: 'node', args: ['a.js', '--x'], env: { A: '1' } };
const remote = { type: 'http', url: 'https://h.example/mcp', headers: { A: 'b' } };

/** A valid file of each client. */
const VALID: readonly { readonly client: string; readonly path: string; readonly config: Json | string }[] = [
  { client: 'cursor', path: '~/.cursor/mcp.json', config: { mcpServers: { good: entry, other: remote } } },
  {
    client: 'claude-code',
    path: '~/.claude.json',
    config: { numStartups: 7, mcpServers: { good: entry }, projects: { '/p': { mcpServers: { other: remote } } } },
  },
  {
    client: 'vscode',
    path: '~/.config/Code/User/mcp.json',
    config: { inputs: [], servers: { good: entry, other: remote } },
  },
  { client: 'zed', path: '~/.config/zed/settings.json', config: { context_servers: { good: entry } } },
  {
    client: 'opencode',
    path: '~/.config/opencode/opencode.json',
    config: { mcp: { good: { type: 'local', command: ['node', 'a.js'], environment: { A: '1' } } } },
  },
  { client: 'windsurf', path: '~/.codeium/windsurf/mcp_config.json', config: { mcpServers: { good: entry } } },
  {
    client: 'codex',
    path: '~/.codex/config.toml',
    config: '[mcp_servers.good]\ncommand = "node"\nargs = ["a.js"]\n[mcp_servers.good.env]\nA = "1"\n',
  },
  {
    client: 'goose',
    path: '~/.config/goose/config.yaml',
    config: 'extensions:\n  good:\n    type: stdio\n    cmd: node\n    args: [a.js]\n    enabled: true\n',
  },
  {
    client: 'continue',
    path: '~/.continue/config.yaml',
    config: 'name: mine\nmcpServers:\n  - name: good\n    command: node\n    args: [a.js]\n    env: { A: "1" }\n',
  },
];
/** The file of this client stays valid. */
const KEPT = { client: 'gemini-cli', path: '~/.gemini/settings.json', name: 'kept' };

describe('malformed files', { tags: 'G9' }, () => {
  const clients = [...VALID, KEPT].map(({ client }) => client);
  const kept = { [KEPT.path]: JSON.stringify({ mcpServers: { [KEPT.name]: { command: 'kept' } } }) };
  const options = { clients, platform: 'linux' } as const;

  it('are derived from valid files, in which each client has its server', async () => {
    using machine = makeMachine();
    const text = (config: Json | string) => (typeof config === 'string' ? config : JSON.stringify(config));
    machine.write({ ...kept, ...Object.fromEntries(VALID.map(({ path, config }) => [path, text(config)])) });
    const { servers, problems } = await discover(machine.options(options));
    expect(problems).toEqual([]);
    expect(new Set(servers.flatMap(({ origins }) => origins.map(({ client }) => client)))).toEqual(new Set(clients));
  });

  it(
    `(${FILES}) do not end the discovery, block it, or hide servers of another client`,
    async () => {
      const dice = new Dice(SEED);
      using machine = makeMachine();
      machine.write(kept);
      let [found, reported, hidden, longestMs] = [0, 0, 0, 0];
      const rounds = Math.ceil(FILES / VALID.length);
      for (let round = 0; round < rounds; round += 1) {
        for (const { path, config } of VALID) {
          const broken = typeof config === 'string' ? damaged(config, dice) : malformedFile(config, dice);
          machine.write({ [path]: broken });
        }
        // Reading is synchronous, so the duration is the stall; a monitor of the event loop would miss it.
        const start = performance.now();
        const { servers, problems } = await discover(machine.options(options));
        longestMs = Math.max(longestMs, performance.now() - start);
        found += servers.length - 1;
        reported += problems.length;
        if (!servers.some(({ name }) => name === KEPT.name)) hidden += 1;
      }
      printFigures(`${FILES} files, ${found} servers, ${reported} problems, stall at most ${longestMs.toFixed(0)} ms`);
      expect(hidden).toBe(0);
      // Some files were still readable, the others were reported.
      expect([found > rounds, reported > rounds]).toEqual([true, true]);
      expect([Object, Array, String, Function].flatMap(({ prototype }) => Object.keys(prototype))).toEqual([]);
      expect(longestMs).toBeLessThan(MAX_STALL_MS);
    },
    FILES * 100,
  );
});
