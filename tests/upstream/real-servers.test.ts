import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configure, connect, connectDirectly, installed, type StdioClient } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';
import { needs } from '../support/programs.js';

/** One gateway with six published servers, and the same servers without the gateway. */
let machine: Machine;
let gateway: StdioClient;
const direct = new Map<string, Promise<StdioClient>>();

const everything = installed('@modelcontextprotocol/server-everything');
const sequential = installed('@modelcontextprotocol/server-sequential-thinking');
const github = installed('@modelcontextprotocol/server-github');
let entries: Readonly<Record<string, ReturnType<typeof installed<{ env?: Record<string, string> }>>>>;

beforeAll(async () => {
  machine = makeMachine();
  writeFileSync(join(machine.project, 'hello.txt'), 'hello from the project\n');
  spawnSync('git', ['init', '--quiet', '--initial-branch=main', machine.project], { env: { PATH: process.env.PATH } });
  entries = {
    everything,
    filesystem: installed('@modelcontextprotocol/server-filesystem', [machine.project]),
    memory: installed('@modelcontextprotocol/server-memory', [], {
      env: { MEMORY_FILE_PATH: join(machine.home, 'memory.jsonl') },
    }),
    sequential,
    git: installed('@cyanheads/git-mcp-server', [], {
      env: { LOGS_DIR: join(machine.home, 'git-logs'), MCP_LOG_LEVEL: 'error' },
    }),
    github,
  };
  configure(machine, entries);
  gateway = await connect(machine);
});

afterAll(async () => {
  await Promise.all([
    gateway?.[Symbol.asyncDispose](),
    ...[...direct.values()].map(async (client) => (await client)[Symbol.asyncDispose]()),
  ]);
  machine?.[Symbol.dispose]();
});

/** The same call without a gateway. */
async function directly(server: string, name: string, given: Record<string, unknown>) {
  const entry = entries[server];
  if (!entry) throw new Error(`there is no server ${server}`);
  const client = direct.get(server) ?? connectDirectly(entry, machine);
  direct.set(server, client);
  return (await client).request('tools/call', { name, arguments: given });
}

describe('real servers behind the gateway', () => {
  it('are listed with all their tools', async () => {
    // list_tools waits for its server, but a search answers while servers are still pending.
    const lists = await Promise.all(
      Object.keys(entries).map(async (server) => {
        const { tools } = await gateway.ask('list_tools', { server });
        return [server, tools.length];
      }),
    );
    expect(Object.fromEntries(lists)).toEqual({
      everything: expect.toSatisfy((count: number) => count >= 13), // more for a client with more capabilities
      filesystem: 14,
      memory: 9,
      sequential: 1,
      git: 28,
      github: 26,
    });
    const { servers, pending } = await gateway.ask('list_mcp_servers');
    expect(pending).toBeUndefined();
    expect(
      servers.map(({ name, toolCount, enabledCount }: Record<string, unknown>) => [name, toolCount, enabledCount]),
    ).toEqual(lists.map(([server, count]) => [server, count, count]));
  });

  it.each([
    { server: 'everything', tool: 'echo', given: { message: 'héllo 👋' } },
    { server: 'everything', tool: 'get-tiny-image', given: {} },
    { server: 'everything', tool: 'get-structured-content', given: { location: 'Chicago' } },
    { server: 'everything', tool: 'get-annotated-message', given: { messageType: 'error', includeImage: true } },
    { server: 'everything', tool: 'get-resource-reference', given: { resourceType: 'Text', resourceId: 1 } },
    { server: 'everything', tool: 'get-resource-links', given: { count: 2 } },
    { server: 'everything', tool: 'get-sum', given: { a: 1.5, b: 2 } },
    {
      server: 'sequential',
      tool: 'sequentialthinking',
      given: { thought: 'a', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    },
    { server: 'memory', tool: 'read_graph', given: {} },
    { server: 'git', tool: 'git_init', given: { path: '/dev/null/nowhere' } },
  ])('return the same result with and without the gateway: $server $tool', async ({ server, tool, given }) => {
    const [through, without] = await Promise.all([gateway.execute(server, tool, given), directly(server, tool, given)]);
    expect(through).toEqual(without);
    expect(through.content.length).toBeGreaterThan(0);
  });

  it('return an image', async () => {
    const { content } = await gateway.execute('everything', 'get-tiny-image');
    expect(content).toContainEqual({ type: 'image', data: expect.stringMatching(/^iVBOR/), mimeType: 'image/png' });
  });

  it('write and read files, and their own errors stay unchanged', async () => {
    const path = join(machine.project, 'written.txt');
    expect((await gateway.execute('filesystem', 'write_file', { path, content: 'one\ntwo' })).isError).not.toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo');
    expect(await gateway.execute('filesystem', 'read_text_file', { path })).toEqual(
      await directly('filesystem', 'read_text_file', { path }),
    );
    const outside = { path: join(machine.home, 'secret.txt') };
    const refused = await gateway.execute('filesystem', 'read_text_file', outside);
    expect(refused).toEqual(await directly('filesystem', 'read_text_file', outside));
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Access denied') }] });
  });

  it('keep their state between two calls', async () => {
    const entities = [{ name: 'Portolan', entityType: 'gateway', observations: ['it lists every harbour'] }];
    await gateway.execute('memory', 'create_entities', { entities });
    const found = await gateway.execute('memory', 'search_nodes', { query: 'harbour' });
    expect(found.structuredContent).toMatchObject({ entities });
  });

  it('return the state of a repository', needs('git'), async () => {
    const { structuredContent } = await gateway.execute('git', 'git_status', { path: machine.project });
    expect(structuredContent).toMatchObject({
      currentBranch: 'main',
      isClean: false,
      untrackedFiles: expect.arrayContaining(['hello.txt']),
    });
  });

  it('report progress with the progress token of the client', async () => {
    const before = gateway.notifications.length;
    const given = { duration: 0.3, steps: 3 };
    const result = await gateway.execute('everything', 'trigger-long-running-operation', given, {
      progressToken: 'mine',
    });
    expect(result.content).toEqual([{ type: 'text', text: expect.stringContaining('completed') }]);
    expect(gateway.notifications.slice(before)).toEqual(
      [1, 2, 3].map((progress) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progress, total: 3, progressToken: 'mine' },
      })),
    );
  });

  it('with an old protocol revision are listed completely', async () => {
    const details = await gateway.ask('get_tool_details', { server: 'github', tool: 'create_issue' });
    const client = await (direct.get('github') ?? connectDirectly(github, machine));
    direct.set('github', Promise.resolve(client));
    const { tools } = await client.request('tools/list');
    const listed = (tools as { name: string; description: string; inputSchema: object }[]).find(
      ({ name }) => name === 'create_issue',
    );
    expect(details).toEqual({
      server: 'github',
      tool: 'create_issue',
      description: listed?.description,
      inputSchema: listed?.inputSchema,
      example: expect.objectContaining({
        owner: expect.any(String),
        repo: expect.any(String),
        title: expect.any(String),
      }),
    });
  });

  it('are found by a description of the task', async () => {
    const { results, pending, failed } = await gateway.ask('search_tools', { query: 'read a text file', limit: 3 });
    expect({ pending, failed, first: results[0] }).toMatchObject({
      pending: undefined,
      failed: undefined,
      first: { server: 'filesystem', tool: expect.stringContaining('read') },
    });
    expect(results.length).toBeLessThanOrEqual(3);
  });
});
