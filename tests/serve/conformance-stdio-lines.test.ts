import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StdioClient, until } from '../support/client-over-stdio.js';
import { type Json, machineWithFixture, PROGRAM, TARGETS } from '../support/conformance-drivers.js';

// Scenarios of the current revision over stdio that check single messages, which the SDKs do not expose.

const exposes = spawnSync(process.execPath, [PROGRAM, 'serve', '--help'], { encoding: 'utf8' }).stdout.includes(
  '--expose',
);
it.skipIf(exposes)('the scenarios through the gateway are skipped without --expose', () => undefined);

const REVISION = '2026-07-28';
const ALL = { elicitation: {}, sampling: {}, roots: {} };
const meta = (clientCapabilities: Json = ALL, protocolVersion = REVISION) => ({
  'io.modelcontextprotocol/protocolVersion': protocolVersion,
  'io.modelcontextprotocol/clientInfo': { name: 'lines', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': clientCapabilities,
});
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const accepted = (content: Json) => ({ action: 'accept', content });

interface Answer {
  readonly result?: Json & { readonly requestState?: string; readonly inputRequests?: Json };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

let lastId = 1000;

/** The complete response, result or error. */
async function ask(client: StdioClient, method: string, params: Json = {}): Promise<Answer> {
  const id = ++lastId;
  client.send({ jsonrpc: '2.0', id, method, params: { _meta: meta(), ...params } });
  const answer = await until(
    () => client.unmatched.find((message) => message.id === id),
    (message) => message !== undefined,
  );
  return answer ?? {};
}

for (const target of ['the fixture', 'the gateway'] as const) {
  describe.skipIf(target === 'the gateway' && !exposes)(`${target} over stdio, in the current revision`, () => {
    const machine = machineWithFixture();
    let client: StdioClient;
    beforeAll(async () => {
      client = new StdioClient(TARGETS[target](machine));
      await ask(client, 'server/discover');
    });
    afterAll(async () => {
      await client[Symbol.asyncDispose]();
      machine[Symbol.dispose]();
    });
    const call = (tool: string, more: Json = {}) =>
      ask(client, 'tools/call', { name: `test_${tool}`, arguments: {}, ...more });

    it('server-stateless: answers server/discover without a handshake', async () => {
      const { result } = await ask(client, 'server/discover');
      expect(result).toMatchObject({
        resultType: 'complete',
        supportedVersions: expect.arrayContaining([REVISION]),
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          completions: {},
        },
        instructions: expect.any(String),
        ttlMs: expect.any(Number),
        cacheScope: expect.toBeOneOf(['public', 'private']),
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: expect.any(String), version: expect.any(String) } },
      });
    });

    it('server-stateless: rejects an unknown revision, and lists the supported ones', async () => {
      const { error } = await ask(client, 'server/discover', { _meta: meta(ALL, 'v999.0.0') });
      expect(error).toMatchObject({
        code: -32022,
        data: { supported: expect.arrayContaining([REVISION]), requested: 'v999.0.0' },
      });
    });

    it.each([
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'resources/unsubscribe',
      'unknown/method',
    ])('server-stateless: rejects the method %s', async (method) => {
      expect(await ask(client, method)).toMatchObject({ error: { code: -32601 } });
    });

    it('server-stateless: rejects a call that needs an undeclared capability', async () => {
      const { error } = await call('missing_capability', { _meta: meta({}) });
      expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { sampling: {} } } });
    });

    it('server-stateless: sends no log messages without a log level, and no requests within a stream', async () => {
      const before = client.notifications.length;
      await call('tool_with_logging');
      await call('streaming_elicitation');
      expect(client.notifications.slice(before)).toEqual([]);
    });

    it('server-stateless: sends each subscription only the notifications that it requested', async () => {
      const listen = (notifications: Json) => {
        const id = ++lastId;
        client.send({
          jsonrpc: '2.0',
          id,
          method: 'subscriptions/listen',
          params: { _meta: meta(), notifications },
        });
        return id;
      };
      const receivedBy = (id: number) =>
        client.notifications
          .filter(({ params }) => (params as { _meta?: Json } | undefined)?._meta?.[SUBSCRIPTION] === id)
          .map(({ method }) => method);
      const tools = listen({ toolsListChanged: true });
      const watched = listen({ resourceSubscriptions: ['test://watched-resource'], promptsListChanged: true });
      await until(
        () => [receivedBy(tools), receivedBy(watched)],
        (received) => received.every(({ length }) => length === 1),
      );
      for (const change of ['tool_change', 'resource_change', 'resource_update', 'prompt_change'])
        await call(`trigger_${change}`);
      await until(
        () => [receivedBy(tools).length, receivedBy(watched).length],
        ([one = 0, other = 0]) => one >= 2 && other >= 3,
      );
      const ack = 'notifications/subscriptions/acknowledged';
      expect(receivedBy(tools)).toEqual([ack, 'notifications/tools/list_changed']);
      expect(receivedBy(watched).toSorted()).toEqual([
        'notifications/prompts/list_changed',
        'notifications/resources/updated',
        ack,
      ]);
      const { result } = await ask(client, 'tools/list');
      expect(result).toMatchObject({
        tools: expect.arrayContaining([expect.objectContaining({ name: 'test_appearing_tool' })]),
      });
      for (const requestId of [tools, watched])
        client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    });

    it.each([
      { method: 'tools/list' },
      { method: 'prompts/list' },
      { method: 'resources/list' },
      { method: 'resources/templates/list' },
      { method: 'resources/read', params: { uri: 'test://static-text' } },
    ])('caching: $method returns ttlMs and cacheScope', async ({ method, params = {} }) => {
      const { result } = await ask(client, method, params);
      expect(result).toMatchObject({
        resultType: 'complete',
        ttlMs: expect.toSatisfy((ttl) => Number.isInteger(ttl) && ttl >= 0),
        cacheScope: expect.toBeOneOf(['public', 'private']),
      });
    });

    const NAME = { user_name: expect.objectContaining({ method: 'elicitation/create' }) };
    const asksForName = { resultType: 'input_required', inputRequests: NAME };

    it.each([
      { title: 'result-type: requests input', more: {} },
      {
        title: 'missing-input-response: requests missing input again',
        more: { inputResponses: { wrong_key: accepted({ data: 'wrong' }) } },
      },
      { title: 'validate-input: rejects a number as input', more: { inputResponses: { user_name: 12345 } } },
    ])('input-required-result-$title', async ({ more }) => {
      const { result, error } = await call('input_required_result_elicitation', more);
      if (error) expect(error.code).toBe(-32602);
      else expect(result).toMatchObject(asksForName);
    });

    it('input-required-result-ignore-extra-params: ignores unknown input', async () => {
      const inputResponses = { user_name: accepted({ name: 'Alice' }), another: accepted({ baz: 123 }) };
      const { result } = await call('input_required_result_elicitation', { inputResponses });
      expect(result).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'Hello, Alice!' }] });
    });

    it('input-required-result-capability-check: requests only input that the client supports', async () => {
      const { result } = await call('input_required_result_capabilities', { _meta: meta({ sampling: {} }) });
      expect(result).toMatchObject({ resultType: 'input_required' });
      expect(Object.keys(result?.inputRequests ?? {})).toEqual(['greeting']);
    });

    it('input-required-result-multi-round: returns another state in each round', async () => {
      const tool = 'input_required_result_multi_round';
      const first = await call(tool);
      const second = await call(tool, {
        inputResponses: { step1: accepted({ name: 'Alice' }) },
        requestState: first.result?.requestState,
      });
      const states = [first, second].map(({ result }) => result?.requestState);
      expect(states).toEqual([expect.any(String), expect.any(String)]);
      expect(new Set(states).size).toBe(2);
      const last = await call(tool, {
        inputResponses: { step2: accepted({ color: 'blue' }) },
        requestState: second.result?.requestState,
      });
      expect(last.result).toMatchObject({ content: [{ type: 'text', text: 'Alice likes blue' }] });
    });

    it('input-required-result-tampered-state: rejects a changed state', async () => {
      const tool = 'input_required_result_tampered_state';
      const { result } = await call(tool);
      const answer = await call(tool, {
        inputResponses: { confirm: accepted({ ok: true }) },
        requestState: `${result?.requestState}-TAMPERED`,
      });
      expect(answer).toMatchObject({ error: { code: -32602 } });
    });

    it('input-required-result-unsupported-methods: requests no input for a list', async () => {
      const answers = await Promise.all(['tools/list', 'prompts/list'].map((method) => ask(client, method)));
      expect(answers.map(({ result }) => result?.resultType)).toEqual(['complete', 'complete']);
    });

    it('sep-2164-resource-not-found: returns the unknown URI', async () => {
      const uri = 'test://nonexistent';
      expect(await ask(client, 'resources/read', { uri })).toMatchObject({ error: { code: -32602, data: { uri } } });
    });
  });
}
