import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { diskFiles } from '../../src/base/index.js';
import { listConnectors } from '../../src/discovery/connectors.js';
import type { Host } from '../../src/model/index.js';
import { type Machine, makeMachine } from '../support/machine.js';

async function serving(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/list`,
    [Symbol.dispose]: () => server.closeAllConnections() ?? server.close(),
  };
}

function hostOf(machine: Machine, env: Readonly<Record<string, string>> = {}): Host {
  return {
    platform: 'linux',
    home: machine.home,
    cwd: machine.project,
    repository: undefined,
    env,
    root: machine.root,
    files: diskFiles,
    self: undefined,
  };
}

function endless(_: IncomingMessage, response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  };
  response.on('drain', more);
  more();
}

const LINEAR = { name: 'linear', url: 'https://linear.example/mcp', id: 'c-1' };

describe('connectors', () => {
  it('are fetched once with the token of the environment, then read from the cache until it expires', async () => {
    using machine = makeMachine();
    const seen: (string | undefined)[] = [];
    using server = await serving((request, response) => {
      seen.push(request.headers.authorization);
      response.end(JSON.stringify([LINEAR, { name: 'broken' }]));
    });
    const host = hostOf(machine, { PORTOLAN_CONNECTORS_TOKEN: 'canary-token' });
    const first = await listConnectors({ url: server.url, ttlSeconds: 60, now: 1_000_000 }, host);
    const second = await listConnectors({ url: server.url, ttlSeconds: 60, now: 1_059_000 }, host);
    expect([first, second]).toEqual([
      { connectors: [LINEAR], problems: [] },
      { connectors: [LINEAR], problems: [] },
    ]);
    expect(seen).toEqual(['Bearer canary-token']);
    expect(readFileSync(machine.path('~/.cache/portolan/connectors.json'), 'utf8')).not.toContain('canary');
  });

  it('that have expired are used immediately, while the list is fetched again', async () => {
    using machine = makeMachine();
    machine.write({ '~/.cache/portolan/connectors.json': 'x' });
    let asked = 0;
    using server = await serving(() => {
      asked += 1; // and sends no response
    });
    machine.write({
      '~/.cache/portolan/connectors.json': JSON.stringify({ url: server.url, at: 0, connectors: [LINEAR] }),
    });
    const found = await listConnectors({ url: server.url, ttlSeconds: 60, now: 1_000_000 }, hostOf(machine));
    expect(found).toEqual({ connectors: [LINEAR], problems: [] });
    await expect.poll(() => asked).toBe(1);
  });

  it.each([
    { title: 'an error', answer: (_: IncomingMessage, response: ServerResponse) => response.writeHead(500).end() },
    {
      title: 'a redirect',
      answer: (_: IncomingMessage, response: ServerResponse) =>
        response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    },
    {
      title: 'a response that is not JSON',
      answer: (_: IncomingMessage, response: ServerResponse) => response.end('<html>'),
    },
    {
      title: 'a response with another structure',
      answer: (_: IncomingMessage, response: ServerResponse) => response.end('{"a":1}'),
    },
    { title: 'an endless response', answer: endless },
    { title: 'a timeout', answer: () => undefined },
  ])('that cannot be fetched because of $title are a warning and not an error', async ({ answer }) => {
    using machine = makeMachine();
    using server = await serving(answer);
    const found = await listConnectors({ url: server.url, ttlSeconds: 60, now: 1 }, hostOf(machine));
    expect(found).toMatchObject({
      connectors: [],
      problems: [{ code: 'connectors-unreachable', severity: 'warning' }],
    });
  });
});
