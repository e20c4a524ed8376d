import { join } from 'node:path';
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as OldTransport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describe, expect, it } from 'vitest';
import { configure, fixture, startsIn } from '../support/client-over-stdio.js';
import { type DaemonSetup, makeDaemonSetup } from '../support/daemon-harness.js';
import { SocketTransport } from '../support/socket-transport.js';

const CALLS = 50;
const CANARY = 'canary-7f3a';

async function daemonWithHttp(setup: DaemonSetup): Promise<{ readonly http: string; readonly pid: number }> {
  return JSON.parse((await setup.run(['daemon', 'start', '--http', '127.0.0.1:0', '--json'])).stdout);
}

/** One client of each SDK version and protocol era over each transport. */
async function clients(socket: string, url: string) {
  const clientInfo = (name: string) => ({ name, version: '1' });
  const sdk1 = (name: string) => new OldClient(clientInfo(name));
  const sdk2 = (name: string, mode: 'legacy' | 'auto') =>
    new NewClient(clientInfo(name), { versionNegotiation: { mode } });
  const all = {
    'v1, socket': sdk1('v1 socket'),
    'v1, HTTP': sdk1('v1 http'),
    'v2 legacy, socket': sdk2('v2 legacy socket', 'legacy'),
    'v2 modern, socket': sdk2('v2 modern socket', 'auto'),
    'v2 legacy, HTTP': sdk2('v2 legacy http', 'legacy'),
    'v2 modern, HTTP': sdk2('v2 modern http', 'auto'),
  };
  await Promise.all([
    // The optional properties of this type do not satisfy `exactOptionalPropertyTypes`.
    all['v1, socket'].connect(new SocketTransport(socket) as OldTransport),
    all['v1, HTTP'].connect(new OldHttp(new URL(url)) as OldTransport),
    all['v2 legacy, socket'].connect(new SocketTransport(socket)),
    all['v2 modern, socket'].connect(new SocketTransport(socket)),
    all['v2 legacy, HTTP'].connect(new NewHttp(new URL(url))),
    all['v2 modern, HTTP'].connect(new NewHttp(new URL(url))),
  ]);
  return all;
}

describe('one daemon', () => {
  it('serves clients of both SDK versions over socket and HTTP at the same time, each with its own results', async () => {
    await using setup = makeDaemonSetup();
    const starts = join(setup.machine.home, 'starts');
    // All calls may wait at the same time for the server to start.
    configure(setup.machine, { one: fixture(['--starts', starts]) }, { limits: { queue: 1_000 } });
    const { http } = await daemonWithHttp(setup);
    const all = await clients(setup.socket, http);
    const work = Object.entries(all).map(async ([name, client]) => {
      const { tools } = await client.listTools();
      expect(tools.map((tool) => tool.name)).toContain('execute_tool');
      const sent = Array.from({ length: CALLS }, (_, n) => `${name} ${n}`);
      const received = await Promise.all(
        sent.map(async (text) => {
          const given = { server: 'one', tool: 'echo', arguments: { text } };
          const { content } = await client.callTool({ name: 'execute_tool', arguments: given });
          return (content as { text?: string }[])[0]?.text;
        }),
      );
      expect(received).toEqual(sent);
    });
    await Promise.all(work);
    expect(startsIn(starts)).toHaveLength(1);
    expect(all['v2 modern, socket'].getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(all['v2 modern, HTTP'].getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(all['v2 legacy, socket'].getNegotiatedProtocolVersion()).toBe('2025-11-25');
    const text = await (await fetch(new URL('/metrics', http))).text();
    expect(text).toContain(`portolan_calls_total ${6 * CALLS}\n`);
    expect(text).toContain('portolan_clients{transport="socket"} 3\n');
    expect(text).toContain('portolan_clients{transport="http"} 2\n');
    const { clients: listed } = JSON.parse((await setup.run(['clients', '--json'])).stdout);
    expect(
      listed.map((one: { name: string; transport: string }) => `${one.transport}: ${one.name}`).toSorted(),
    ).toEqual([
      'http: v1 http',
      'http: v2 legacy http',
      'socket: v1 socket',
      'socket: v2 legacy socket',
      'socket: v2 modern socket',
    ]);
    await Promise.all(Object.values(all).map((client) => client.close()));
  });

  it('counts failed calls by error code in /metrics, without arguments, names and clients', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { one: fixture() });
    const { http } = await daemonWithHttp(setup);
    await using client = await setup.client({ env: { MCP_CLIENT_ID: CANARY } });
    await client.execute('one', 'echo', { text: CANARY });
    await client.execute('one', CANARY, {});
    await client.execute(CANARY, 'echo', {});
    await client.execute('one', 'complain');
    const response = await fetch(new URL('/metrics', http));
    const text = await response.text();
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(
      text
        .split('\n')
        .filter((line) => line.startsWith('portolan_call_errors_total'))
        .toSorted(),
    ).toEqual([
      'portolan_call_errors_total{code="SERVER_NOT_FOUND"} 1',
      'portolan_call_errors_total{code="TOOL_NOT_FOUND"} 1',
      'portolan_call_errors_total{code="tool-error"} 1',
    ]);
    expect(text).toContain('portolan_upstreams{state="connected"} 1\n');
    expect(text).not.toContain(CANARY);
  });
});
