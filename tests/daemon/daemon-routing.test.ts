import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { configure, until } from '../support/client-over-stdio.js';
import { type DaemonSetup, makeDaemonSetup } from '../support/daemon-harness.js';
import type { Json, LineClient } from '../support/gateway-harness.js';

const ASKING = join(dirname(fileURLToPath(import.meta.url)), '../../conformance/fixture-server.mjs');
const SAMPLE = { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm', stopReason: 'endTurn' };
const BOTH_ENABLED = { askOtherClients: true, answerForOtherClients: true };

/** A setup with a server that sends requests, and one client for each set of capabilities. */
async function setupWith({ era = 'legacy', ...mcpBridge }: Json, ...capabilitySets: readonly Json[]) {
  const setup = makeDaemonSetup();
  configure(setup.machine, { asking: { command: process.execPath, args: [ASKING], era } }, { mcpBridge });
  await setup.run(['daemon', 'start']);
  const clients: LineClient[] = [];
  for (const [at, capabilities] of capabilitySets.entries())
    clients.push(await connectClient(setup, `client ${at}`, capabilities));
  return { setup, clients };
}

async function connectClient(setup: DaemonSetup, name: string, capabilities: Json): Promise<LineClient> {
  const { client } = await setup.direct();
  const clientInfo = { name, version: '1' };
  await client.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
  await client.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return client;
}

const receivedRequest = (client: LineClient, method: string) =>
  client.notifications.find((one) => one.method === method);
const nextRequest = (client: LineClient, method: string) =>
  until(
    () => receivedRequest(client, method),
    (found) => found !== undefined,
  );
const answer = (client: LineClient, question: Json | undefined, result: Json) =>
  client.write(`${JSON.stringify({ jsonrpc: '2.0', id: question?.id, result })}\n`);

describe('a request of a server to a client', () => {
  it.each(['legacy', 'modern'])(
    'in the %s protocol goes to another client with the capability if both settings allow it, and names the caller',
    async (era) => {
      const { setup, clients } = await setupWith(
        { ...BOTH_ENABLED, era },
        { sampling: {} },
        { sampling: {}, elicitation: {} },
        {},
      );
      await using _setup = setup;
      const [first, last, weak] = clients;
      if (!first || !last || !weak) throw new Error('three clients are needed');
      const sampled = weak.execute('asking', 'test_sampling', { prompt: 'x' });
      const question = await nextRequest(last, 'sampling/createMessage');
      const behalf = { id: expect.any(String), name: 'client 2' };
      expect(question).toMatchObject({ params: { _meta: { 'portolan/onBehalfOf': behalf } } });
      await answer(last, question, SAMPLE);
      expect(await sampled).toMatchObject({ content: [{ text: 'LLM response: Paris' }] });
      const filled = weak.execute('asking', 'test_elicitation', { message: 'Who?' });
      const form = await nextRequest(last, 'elicitation/create');
      expect(form).toMatchObject({
        params: {
          message: expect.stringMatching(/^For another client, client 2: /),
          _meta: { 'portolan/onBehalfOf': behalf },
        },
      });
      await answer(last, form, { action: 'accept', content: { username: 'u', email: 'e' } });
      await filled;
      expect(first.notifications).toEqual([]);
      expect(weak.notifications).toEqual([]);
    },
  );

  it.each([
    { title: 'no setting allows it', mcpBridge: {} },
    { title: 'only askOtherClients is set', mcpBridge: { askOtherClients: true } },
    { title: 'only answerForOtherClients is set', mcpBridge: { answerForOtherClients: true } },
  ])('goes to no other client if $title', async ({ mcpBridge }) => {
    const { setup, clients } = await setupWith(mcpBridge, { sampling: {} }, {});
    await using _setup = setup;
    const [able, weak] = clients;
    expect(await weak?.execute('asking', 'test_sampling', { prompt: 'x' })).toMatchObject({ isError: true });
    expect(able?.notifications).toEqual([]);
  });

  it('goes to the calling client if that has the capability, and not to another', async () => {
    const { setup, clients } = await setupWith(BOTH_ENABLED, { sampling: {} }, { sampling: {} });
    await using _setup = setup;
    const [caller, other] = clients;
    if (!caller || !other) throw new Error('two clients are needed');
    const sampled = caller.execute('asking', 'test_sampling', { prompt: 'x' });
    const question = await nextRequest(caller, 'sampling/createMessage');
    expect(question?.params).not.toMatchObject({ _meta: { 'portolan/onBehalfOf': expect.anything() } });
    await answer(caller, question, SAMPLE);
    expect(await sampled).toMatchObject({ content: [{ text: 'LLM response: Paris' }] });
    expect(other.notifications).toEqual([]);
  });

  it('goes to no invisible client', async () => {
    const { setup, clients } = await setupWith(BOTH_ENABLED, { sampling: {} }, {});
    await using _setup = setup;
    const [hidden, weak] = clients;
    if (!hidden || !weak) throw new Error('two clients are needed');
    expect(await hidden.request('bridge/visibility', { visible: false })).toMatchObject({ result: {} });
    expect(await weak.execute('asking', 'test_sampling', { prompt: 'x' })).toMatchObject({ isError: true });
    await hidden.request('bridge/visibility', { visible: true });
    const sampled = weak.execute('asking', 'test_sampling', { prompt: 'x' });
    await answer(hidden, await nextRequest(hidden, 'sampling/createMessage'), SAMPLE);
    expect(await sampled).toMatchObject({ content: [{ text: 'LLM response: Paris' }] });
  });
});

describe('a client that sets itself invisible', () => {
  it('cannot be listed or addressed, can still address others, and can become visible again', async () => {
    const { setup, clients } = await setupWith({}, {}, {});
    await using _setup = setup;
    const [a, b] = clients;
    if (!a || !b) throw new Error('two clients are needed');
    const listed = async () => ((await a.request('bridge/clients')).result as { clients: { id: string }[] }).clients;
    const [{ id: to } = { id: '' }] = await listed();
    await b.request('bridge/visibility', { visible: false });
    expect(await listed()).toEqual([]);
    for (const [method, more] of [
      ['bridge/send', { message: 'x' }],
      ['bridge/request', { method: 'x/y' }],
    ] as const)
      expect(await a.request(method, { to, ...more })).toMatchObject({ error: { code: -32602 } });
    const { result } = await b.request('bridge/clients');
    expect(result).toMatchObject({ clients: [{ name: 'client 0' }] });
    await b.request('bridge/visibility', { visible: true });
    expect(await listed()).toMatchObject([{ id: to, name: 'client 1' }]);
  });

  it('receives an error code for each invalid bridge request', async () => {
    const { setup, clients } = await setupWith({}, {});
    await using _setup = setup;
    const wrong = [
      { method: 'bridge/visibility', params: { visible: 'no' }, code: -32602 },
      { method: 'bridge/visibility', params: {}, code: -32602 },
      { method: 'bridge/send', params: { message: 'x' }, code: -32602 },
      { method: 'bridge/send', params: { to: 7, message: 'x' }, code: -32602 },
      { method: 'bridge/request', params: { to: 'unknown', method: 'x/y' }, code: -32602 },
      { method: 'bridge/nonsense', params: {}, code: -32601 },
    ];
    const codes = [];
    for (const { method, params } of wrong) {
      const { error } = (await clients[0]?.request(method, params)) ?? {};
      codes.push((error as { code: number }).code);
    }
    expect(codes).toEqual(wrong.map(({ code }) => code));
  });
});
