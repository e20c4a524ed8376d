import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sdkHandler, serveHttp } from '../fixtures/servers/http-server.js';
import { configure, connect, fixture, portolan } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { serveOverHttp } from '../support/gateway-over-http.js';
import { type Machine, makeMachine } from '../support/machine.js';
import { sendRaw, statelessCall } from '../support/raw-http.js';

/** Beyond Number.MAX_SAFE_INTEGER. Clients in Python, Go and Rust send it exactly. */
const BIG_INTEGER = '12345678901234567891';
const PLACEHOLDER = 424_242;
const GIVEN = { text: 'a', id: PLACEHOLDER, more: [{ id: PLACEHOLDER }] };
/** The message as a client in another language sends it. */
const exact = (json: string) => json.replaceAll(String(PLACEHOLDER), BIG_INTEGER);
const ARRIVED = exact(JSON.stringify(GIVEN));

const CALL = {
  jsonrpc: '2.0',
  id: 'x',
  method: 'tools/call',
  params: { name: 'execute_tool', arguments: { server: 'far', tool: 'echo', arguments: GIVEN } },
};

/** A server that records the raw messages that it receives. */
function recordingServer(machine: Machine) {
  const file = machine.path('~/received');
  configure(machine, { far: fixture(['--record', file]) });
  return () => readFileSync(file, 'utf8');
}

describe('an integer beyond Number.MAX_SAFE_INTEGER', () => {
  it.each([
    { title: 'in an object', arguments: GIVEN },
    { title: 'in arguments that are a JSON string', arguments: JSON.stringify(GIVEN) },
  ])('reaches a server over stdio unchanged $title', async ({ arguments: given }) => {
    using machine = makeMachine();
    const received = recordingServer(machine);
    await using client = await connect(machine);
    const params = { ...CALL.params, arguments: { ...CALL.params.arguments, arguments: given } };
    await client.answerTo('x', exact(JSON.stringify({ ...CALL, params })));
    expect(received()).toContain(`"arguments":${ARRIVED}`);
  });

  it('reaches a server unchanged beside _meta', async () => {
    using machine = makeMachine();
    const received = recordingServer(machine);
    await using client = await connect(machine);
    const params = { ...CALL.params, _meta: { traceparent: '00-1' } };
    await client.answerTo('x', exact(JSON.stringify({ ...CALL, params })));
    expect(received()).toContain(`"arguments":${ARRIVED},"_meta":{"traceparent":"00-1"`);
  });

  it.each([
    { title: 'alone', sent: CALL },
    { title: 'in a batch', sent: [CALL] },
  ])('reaches a server unchanged through a daemon, $title', async ({ sent }) => {
    await using setup = makeDaemonSetup();
    const received = recordingServer(setup.machine);
    await using client = await setup.client();
    await client.answerTo('x', exact(JSON.stringify(sent)));
    expect(received()).toContain(`"arguments":${ARRIVED}`);
  });

  it('reaches a server unchanged from an HTTP client', async () => {
    using machine = makeMachine();
    const received = recordingServer(machine);
    await using gateway = await serveOverHttp(machine);
    const { headers, body } = statelessCall('far', 'echo', GIVEN);
    const line = ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${gateway.port}`];
    expect((await sendRaw(gateway.port, [...line, ...headers], exact(body))).status).toBe(200);
    expect(received()).toContain(`"arguments":${ARRIVED}`);
  });

  it('reaches an HTTP server unchanged', async () => {
    using machine = makeMachine();
    const bodies: string[] = [];
    const sdk = sdkHandler();
    await using remote = await serveHttp(async (request) => {
      bodies.push(await request.clone().text());
      return sdk(request);
    });
    configure(machine, { far: { url: remote.url } });
    await using client = await connect(machine);
    await client.answerTo('x', exact(JSON.stringify(CALL)));
    expect(bodies.join('\n')).toContain(`"arguments":${ARRIVED}`);
  });

  it.each([
    { title: '--args', words: ['--args', ARRIVED], arrived: ARRIVED },
    {
      title: 'key=value',
      words: ['text=a', `id=${BIG_INTEGER}`, 'name=b'],
      arrived: `{"text":"a","id":${BIG_INTEGER},"name":"b"}`,
    },
  ])('reaches a server unchanged from the command line, with $title', async ({ words, arrived }) => {
    using machine = makeMachine();
    const received = recordingServer(machine);
    expect(await portolan(machine, ['call', 'far', 'echo', ...words])).toMatchObject({ status: 0, stderr: '' });
    expect(received()).toContain(`"arguments":${arrived}`);
  });
});
