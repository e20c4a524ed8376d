import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discover } from '../../src/discovery/index.js';
import type { Definition } from '../../src/model/index.js';
import { makeMachine, PLATFORMS } from '../support/machine.js';

/** The project files and entries of each client that searches from the working directory up to the repository root. */
const SEARCHING_CLIENTS = [
  { client: 'opencode', file: 'opencode.json', entry: '{"mcp":{"s":{"type":"local","command":["x"]}}}' },
  { client: 'opencode', file: '.opencode/opencode.jsonc', entry: '{"mcp":{"s":{"type":"local","command":["x"]}}}' },
  { client: 'codex', file: '.codex/config.toml', entry: '[mcp_servers.s]\ncommand = "x"\n' },
  { client: 'copilot-cli', file: '.mcp.json', entry: '{"mcpServers":{"s":{"command":"x"}}}' },
  { client: 'crush', file: 'crush.json', entry: '{"mcp":{"s":{"command":"x"}}}' },
  { client: 'crush', file: '.crush.json', entry: '{"mcp":{"s":{"command":"x"}}}' },
  { client: 'crush', file: 'crushrc', entry: 'mcp add s --type stdio --command x\n' },
  { client: 'crush', file: '.crushrc', entry: 'mcp add s --type stdio --command x\n' },
  { client: 'amp', file: '.amp/settings.json', entry: '{"amp.mcpServers":{"s":{"command":"x"}}}' },
  { client: 'amp', file: '.amp/settings.jsonc', entry: '{"amp.mcpServers":{"s":{"command":"x"}}}' },
];

const REPOSITORY = { '<project>/.git/HEAD': 'ref: refs/heads/main\n' };

const nearestFirst = (definitions: readonly Definition[]) =>
  definitions.toSorted((a, b) => b.precedence - a.precedence).map(({ source }) => source);

describe('clients that search upwards', () => {
  describe.each(SEARCHING_CLIENTS)('$client with $file', ({ client, file, entry }) => {
    it.each(PLATFORMS)(
      'reads every directory up to the repository root, and the nearest has the highest precedence (%s)',
      async (platform) => {
        using machine = makeMachine();
        const folders = ['<project>', '<project>/a', '<project>/a/b', '<project>/a/b/below', '<project>/other'];
        machine.write({ ...REPOSITORY, ...Object.fromEntries(folders.map((folder) => [`${folder}/${file}`, entry])) });
        const { definitions } = await discover(
          machine.options({ platform, clients: [client], cwd: join(machine.project, 'a', 'b') }),
        );
        expect(nearestFirst(definitions)).toEqual(
          ['<project>/a/b', '<project>/a', '<project>'].map((folder) => machine.path(`${folder}/${file}`)),
        );
      },
    );

    it('stops at the root of the nearest repository', async () => {
      using machine = makeMachine();
      machine.write({
        ...REPOSITORY,
        '<project>/a/.git/HEAD': 'ref: refs/heads/main\n',
        [`<project>/${file}`]: entry,
        [`<project>/a/${file}`]: entry,
      });
      const { definitions } = await discover(
        machine.options({ clients: [client], cwd: join(machine.project, 'a', 'b') }),
      );
      expect(nearestFirst(definitions)).toEqual([machine.path(`<project>/a/${file}`)]);
    });
  });

  it('merges a nearer file of OpenCode with those in parent directories', async () => {
    using machine = makeMachine();
    machine.write({
      ...REPOSITORY,
      '<project>/opencode.json': '{"mcp":{"s":{"type":"local","command":["x","{file:arg}"]}}}',
      '<project>/arg': 'from the top',
      '<project>/a/opencode.jsonc': '{"mcp":{"s":{"enabled":false}}}',
    });
    const { definitions } = await discover(machine.options({ clients: ['opencode'], cwd: join(machine.project, 'a') }));
    expect(definitions.toSorted((a, b) => a.precedence - b.precedence)).toMatchObject([
      { state: 'ready', args: ['from the top'] },
      { state: 'disabled', command: 'x', args: ['from the top'], source: machine.path('<project>/a/opencode.jsonc') },
    ]);
  });

  it.each([
    { title: 'the repository root', trusted: ['<project>'], states: ['ready', 'ready'] },
    { title: 'the directory of one file', trusted: ['<project>/a'], states: ['ready', 'pending-approval'] },
    { title: 'a parent of the repository', trusted: ['..'], states: ['pending-approval', 'pending-approval'] },
  ])('applies the trust of Codex in $title', async ({ trusted, states }) => {
    using machine = makeMachine();
    const where = trusted.map((folder) => (folder === '..' ? join(machine.project, '..') : machine.path(`${folder}/`)));
    machine.write({
      ...REPOSITORY,
      '<project>/.codex/config.toml': '[mcp_servers.top]\ncommand = "x"\n',
      '<project>/a/.codex/config.toml': '[mcp_servers.near]\ncommand = "x"\n',
      '~/.codex/config.toml': where.map((folder) => `[projects."${folder}"]\ntrust_level = "trusted"\n`).join(''),
    });
    const { definitions } = await discover(machine.options({ clients: ['codex'], cwd: join(machine.project, 'a') }));
    expect(Object.fromEntries(definitions.map(({ name, state }) => [name, state]))).toEqual({
      near: states[0],
      top: states[1],
    });
  });

  it('reads .github and .agents only in the repository root', async () => {
    using machine = makeMachine();
    const entry = '{"mcpServers":{"s":{"command":"x"}}}';
    const files = ['.github/mcp.json', 'a/.github/mcp.json', '.agents/.mcp.json', 'a/.agents/.mcp.json'];
    machine.write({ ...REPOSITORY, ...Object.fromEntries(files.map((file) => [`<project>/${file}`, entry])) });
    const { definitions } = await discover(
      machine.options({ clients: ['copilot-cli', 'agents-dir'], cwd: join(machine.project, 'a') }),
    );
    expect(definitions.map(({ source }) => source)).toEqual([
      machine.path('<project>/.github/mcp.json'),
      machine.path('<project>/.agents/.mcp.json'),
    ]);
  });

  it('lets Copilot CLI load a project below a trusted directory', async () => {
    using machine = makeMachine();
    machine.write({
      ...REPOSITORY,
      '<project>/.mcp.json': '{"mcpServers":{"s":{"command":"x"}}}',
      '~/.copilot/config.json': JSON.stringify({ trusted_folders: [machine.project] }),
    });
    const { definitions } = await discover(
      machine.options({ clients: ['copilot-cli'], cwd: join(machine.project, 'a') }),
    );
    expect(definitions).toMatchObject([{ name: 's', state: 'ready' }]);
  });
});
