import { chmodSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { decode } from '@toon-format/toon';
import { afterAll, describe, expect, it } from 'vitest';
import { describeEngines, tidy } from '../sandbox/installed-engines.js';
import { type CallResult, configure, connect, fixture, isAlive, until } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { serveOverHttp } from '../support/gateway-over-http.js';
import { makeMachine } from '../support/machine.js';

afterAll(tidy);

const OWN = { own: fixture() };
const resultOf = ({ structuredContent }: CallResult) => (structuredContent as { result?: unknown }).result;

describe('disabled run_python', () => {
  it('is not listed, and a call fails with a hint', async () => {
    using machine = makeMachine();
    configure(machine, OWN, { sandbox: { engine: 'off' } });
    await using client = await connect(machine);
    const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).not.toContain('run_python');
    expect(await client.call('run_python', { code: '1' })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'SANDBOX_UNAVAILABLE', hint: 'ask the user to change sandbox.engine' } },
    });
  });

  it.each([
    { title: '--sandbox off', args: ['serve', '--sandbox', 'off'], env: {} },
    { title: 'PORTOLAN_SANDBOX_ENGINE=off', args: ['serve'], env: { PORTOLAN_SANDBOX_ENGINE: 'off' } },
    { title: '--expose with a server', args: ['serve', '--expose', 'own'], env: {} },
    { title: '--expose all', args: ['serve', '--expose', 'all'], env: {} },
  ])('is not listed with $title', async ({ args, env }) => {
    using machine = makeMachine();
    configure(machine, OWN, { timeouts: { searchMs: 20_000 } });
    await using client = await connect(machine, { args, env });
    const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
    expect(tools.length).toBeGreaterThan(0);
    expect(tools.map(({ name }) => name)).not.toContain('run_python');
  });

  it('is not listed only for the client of a daemon with --sandbox off', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, OWN);
    await using usual = await setup.client();
    const env = { ...setup.env, PORTOLAN_DAEMON: 'require' };
    await using without = await connect(setup.machine, { args: ['serve', '--sandbox', 'off'], env });
    expect(JSON.parse((await setup.run(['clients', '--json'])).stdout).clients).toHaveLength(2);
    const lists = await Promise.all([without, usual].map((client) => client.request('tools/list')));
    const names = (lists as { tools: { name: string }[] }[]).map(({ tools }) => tools.map(({ name }) => name));
    expect(names.map((list) => list.includes('run_python'))).toEqual([false, true]);
  });

  it('fails with a hint if the selected engine does not work, and is not listed afterwards', async () => {
    using machine = makeMachine();
    configure(machine, OWN);
    const args = ['serve', '--sandbox', 'deno'];
    // A program that does not work, which only a probe detects.
    machine.write({ '~/.deno/bin/deno': '#!/bin/sh\nexit 1\n' });
    chmodSync(machine.path('~/.deno/bin/deno'), 0o755);
    const listed = async () => {
      await using client = await connect(machine, { args });
      const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
      const answer = await client.call('run_python', { code: '1' });
      return { isListed: tools.some(({ name }) => name === 'run_python'), answer };
    };
    const first = await listed();
    expect(first).toMatchObject({
      isListed: true,
      answer: {
        isError: true,
        structuredContent: { error: { code: 'SANDBOX_UNAVAILABLE', hint: expect.any(String) } },
      },
    });
    expect((await listed()).isListed).toBe(false);
  });
});

// All engines share this code, and bubblewrap starts fastest.
await describeEngines(
  ['bwrap'],
  (engine) => `run_python in ${engine}`,
  () => {
    it('answers in TOON with "output": "toon"', async () => {
      using machine = makeMachine();
      configure(machine, OWN, { sandbox: { engine: 'bwrap', output: 'toon' } });
      await using client = await connect(machine);
      const code = 'print("a")\n[{"id": 1, "name": "x"}, {"id": 2, "name": "y"}]';
      const { content, structuredContent } = await client.call('run_python', { code, servers: [] });
      const text = String(content[0]?.text);
      expect(text).toContain('result[2]{id,name}:\n  1,x\n  2,y');
      expect(decode(text)).toEqual(structuredContent);
    });

    it.each([
      { title: 'no code', given: {}, message: 'run_python: code is missing' },
      {
        title: 'servers that are not a list',
        given: { code: '1', servers: 7 },
        message: 'run_python: servers must be',
      },
      { title: 'a timeout of 0', given: { code: '1', timeout: 0 }, message: 'run_python: timeout must be' },
      {
        title: 'a timeout over the maximum',
        given: { code: '1', timeout: 121 },
        message: 'timeout must be at most 120 seconds',
      },
      {
        title: 'a session that is a string',
        given: { code: '1', session: 'mine' },
        message: 'run_python: session must be',
      },
    ])('rejects $title with a message', async ({ given, message }) => {
      using machine = makeMachine();
      configure(machine, OWN, { sandbox: { engine: 'bwrap' } });
      await using client = await connect(machine);
      expect(await client.call('run_python', given)).toMatchObject({
        isError: true,
        structuredContent: { error: { code: 'TOOL_VALIDATION_ERROR', message: expect.stringContaining(message) } },
      });
    });

    it('keeps variables over HTTP per session, and none for stateless requests', async () => {
      using machine = makeMachine();
      configure(machine, OWN, { sandbox: { engine: 'bwrap' } });
      await using gateway = await serveOverHttp(machine);
      const sessions = [await overHttp(gateway.url), await overHttp(gateway.url)];
      for (const [n, { run }] of sessions.entries()) await run(`own${n} = 1`);
      const names = 'sorted(name for name in globals() if name.startswith("own"))';
      expect(await Promise.all(sessions.map(({ run }) => run(names)))).toEqual([['own0'], ['own1']]);
      await Promise.all(sessions.map(({ close }) => close()));
      expect(await stateless(gateway.url, 'own2 = 1')).toBeUndefined();
      expect(await stateless(gateway.url, names)).toEqual([]);
    });

    it('isolates the variables of two clients of a daemon, and reports their loss after the daemon was killed', async () => {
      await using setup = makeDaemonSetup();
      configure(setup.machine, OWN, { sandbox: { engine: 'bwrap' } });
      await using one = await setup.client();
      await using two = await setup.client();
      await one.call('run_python', { code: 'mine = 1' });
      await two.call('run_python', { code: 'yours = 2' });
      const names = 'sorted({"mine", "yours"} & set(globals()))';
      expect(resultOf(await one.call('run_python', { code: names }))).toEqual(['mine']);
      expect(resultOf(await two.call('run_python', { code: names }))).toEqual(['yours']);
      const pid = await setup.pid();
      if (pid === undefined) throw new Error('no daemon runs');
      process.kill(pid, 'SIGKILL');
      await until(
        () => isAlive(pid),
        (alive) => !alive,
      );
      const after = await until(
        // A call in flight when the loss is detected fails.
        () => one.call('run_python', { code: names }).catch(() => undefined),
        (answer) => answer !== undefined,
      );
      expect(after?.structuredContent).toMatchObject({ result: [], stateLost: true });
      expect((await one.call('run_python', { code: names })).structuredContent).not.toHaveProperty('stateLost');
    });
  },
);

/** A client of the SDK version 1, which has a session. */
async function overHttp(url: string) {
  const client = new Client({ name: 'same', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url));
  // Its type does not satisfy `exactOptionalPropertyTypes`.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    run: async (code: string) =>
      resultOf((await client.callTool({ name: 'run_python', arguments: { code } })) as unknown as CallResult),
    close: () => client.close(),
  };
}

/** Runs one program in a stateless request. */
async function stateless(url: string, code: string): Promise<unknown> {
  const meta = 'io.modelcontextprotocol/';
  const _meta = {
    [`${meta}protocolVersion`]: '2026-07-28',
    [`${meta}clientCapabilities`]: {},
    [`${meta}clientInfo`]: { name: 'same', version: '1' },
  };
  const params = { name: 'run_python', arguments: { code }, _meta };
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'run_python',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const text = await answer.text();
  const line = text.startsWith('{') ? text : (/^data: (\{.*"result".*)$/m.exec(text)?.[1] ?? '{}');
  return resultOf(JSON.parse(line).result);
}
