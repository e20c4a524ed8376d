import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sdkHandler, serveHttp } from '../fixtures/servers/http-server.js';
import { configure, connect, fixture, portolan } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { serveOverHttp } from '../support/gateway-over-http.js';
import { type Machine, makeMachine } from '../support/machine.js';
import { sendRaw, statelessCall } from '../support/raw-http.js';

/** More than JavaScript counts exactly; Python, Go and Rust write it as it is. */
const LONG = '12345678901234567891';
const STAND_IN = 424_242;
const GIVEN = { text: 'a', id: STAND_IN, more: [{ id: STAND_IN }] };
/** What leaves a client that is not written in JavaScript. */
const exact = (json: string) => json.replaceAll(String(STAND_IN), LONG);
const ARRIVED = exact(JSON.stringify(GIVEN));

const CALL = {
  jsonrpc: '2.0',
  id: 'x',
  method: 'tools/call',
  params: { name: 'execute_tool', arguments: { server: 'far', tool: 'echo', arguments: GIVEN } },
};

/** A server that writes down what it hears, as it was written. */
function listening(machine: Machine) {
  const file = machine.path('~/heard');
  configure(machine, { far: fixture(['--heard', file]) });
  return () => readFileSync(file, 'utf8');
}

describe('a whole number that JavaScript would round', () => {
  it.each([
    { title: 'as it was written', arguments: GIVEN },
    { title: 'in arguments that a model has written as text', arguments: JSON.stringify(GIVEN) },
  ])('arrives at a server over a pipe $title', async ({ arguments: given }) => {
    using machine = makeMachine();
    const heard = listening(machine);
    await using client = await connect(machine);
    const params = { ...CALL.params, arguments: { ...CALL.params.arguments, arguments: given } };
    await client.answerTo('x', exact(JSON.stringify({ ...CALL, params })));
    expect(heard()).toContain(`"arguments":${ARRIVED}`);
  });

  it('arrives where something travels with the call', async () => {
    using machine = makeMachine();
    const heard = listening(machine);
    await using client = await connect(machine);
    const params = { ...CALL.params, _meta: { traceparent: '00-1' } };
    await client.answerTo('x', exact(JSON.stringify({ ...CALL, params })));
    expect(heard()).toContain(`"arguments":${ARRIVED},"_meta":{"traceparent":"00-1"`);
  });

  it.each([
    { title: 'alone', sent: CALL },
    { title: 'in a batch', sent: [CALL] },
  ])('arrives through a daemon, $title', async ({ sent }) => {
    await using setup = makeDaemonSetup();
    const heard = listening(setup.machine);
    await using client = await setup.client();
    await client.answerTo('x', exact(JSON.stringify(sent)));
    expect(heard()).toContain(`"arguments":${ARRIVED}`);
  });

  it('arrives from a client that speaks HTTP', async () => {
    using machine = makeMachine();
    const heard = listening(machine);
    await using gateway = await serveOverHttp(machine);
    const { headers, body } = statelessCall('far', 'echo', GIVEN);
    const line = ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${gateway.port}`];
    expect((await sendRaw(gateway.port, [...line, ...headers], exact(body))).status).toBe(200);
    expect(heard()).toContain(`"arguments":${ARRIVED}`);
  });

  it('arrives at a server that is reached over HTTP', async () => {
    using machine = makeMachine();
    const bodies: string[] = [];
    const sdk = sdkHandler();
    await using far = await serveHttp(async (request) => {
      bodies.push(await request.clone().text());
      return sdk(request);
    });
    configure(machine, { far: { url: far.url } });
    await using client = await connect(machine);
    await client.answerTo('x', exact(JSON.stringify(CALL)));
    expect(bodies.join('\n')).toContain(`"arguments":${ARRIVED}`);
  });

  it.each([
    { title: '--args', words: ['--args', ARRIVED], arrived: ARRIVED },
    { title: 'key=value', words: ['text=a', `id=${LONG}`, 'name=b'], arrived: `{"text":"a","id":${LONG},"name":"b"}` },
  ])('arrives from the command line, with $title', async ({ words, arrived }) => {
    using machine = makeMachine();
    const heard = listening(machine);
    expect(await portolan(machine, ['call', 'far', 'echo', ...words])).toMatchObject({ status: 0, stderr: '' });
    expect(heard()).toContain(`"arguments":${arrived}`);
  });
});
