import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { RegisteredServer } from '../registry/index.js';
import { announced, distinctServers, type Registry, runningSignature } from './running-servers.js';

const PRINT = 'f'.repeat(64);
const NOBODYS_CHILD = 1;

function server(fields: Partial<RegisteredServer> = {}): RegisteredServer {
  const pid = fields.pid ?? NOBODYS_CHILD;
  return {
    ...{ id: 'docs_1', name: 'docs', pid, stdio_active: false, http: { enabled: false }, started_at: '', cwd: '/x' },
    ...{ transports: [], tools: [], capabilities: {}, start_identity: { boot: '', pid, start: '' }, heartbeat: '' },
    ...{ heartbeat_uptime: 0, uptime_seconds: 0, requests: 0, liveness: 'alive' },
    ...fields,
  };
}
const reading = (servers: readonly RegisteredServer[], more: Partial<Registry> = {}) => ({
  registries: [{ path: '/p/mcp_servers.json', isUsers: false, servers, ...more }],
  problems: [],
});
const offered = (servers: readonly RegisteredServer[]) => announced(reading(servers)).flatMap((one) => one.servers);

describe('announced', () => {
  it.each([
    {
      title: 'the first supported address',
      fields: {
        transports: [
          { type: 'stdio' },
          { type: 'websocket', url: 'ws://127.0.0.1:1/' },
          { type: 'sse', url: 'http://x/' },
        ],
      },
      expected: { type: 'ws', url: 'ws://127.0.0.1:1/' },
    },
    {
      title: 'the HTTP field of older programs',
      fields: { http: { enabled: true, url: 'http://127.0.0.1:1/' } },
      expected: { type: 'auto', url: 'http://127.0.0.1:1/' },
    },
    {
      title: 'no HTTP that is disabled',
      fields: { http: { enabled: false, url: 'http://127.0.0.1:1/' } },
      expected: {},
    },
    {
      title: 'a socket if there is nothing else',
      fields: { transports: [{ type: 'socket', path: '/run/a b#?.sock' }] },
      expected: { type: 'socket', url: 'unix:/run/a%20b%23%3F.sock' },
    },
    {
      title: 'no socket with a relative path',
      fields: { transports: [{ type: 'socket', path: 'run.sock' }] },
      expected: {},
    },
    { title: 'the launch that it came from', fields: { fingerprint: PRINT }, expected: { fingerprint: PRINT } },
  ] as const)('reports $title', ({ fields, expected }) => {
    expect(offered([server(fields)])).toEqual([{ name: 'docs', id: 'docs_1', ...expected }]);
  });

  it.each([
    { title: 'a Portolan', fields: { name: ' Portolan' } },
    { title: 'this process', fields: { pid: process.pid } },
  ])('offers neither $title nor what has its address or socket', ({ fields }) => {
    const http = { enabled: true, url: 'http://127.0.0.1:1/mcp' };
    const transports = [{ type: 'socket' as const, path: '/run/p.sock' }];
    const alias = { transports: [{ type: 'http' as const, url: 'http://localhost:1/mcp/' }] };
    expect(offered([server({ ...fields, http, transports }), server(alias), server({ transports })])).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'does not link an announcement to a launch if Portolan started the process',
    () => {
      const child = spawn('sleep', ['60'], { stdio: 'ignore' });
      try {
        const pid = child.pid ?? expect.unreachable('it did not start');
        expect(offered([server({ pid, fingerprint: PRINT })])).toEqual([{ name: 'docs', id: 'docs_1' }]);
      } finally {
        child.kill('SIGKILL');
      }
    },
  );
});

describe('runningSignature', () => {
  it('changes with the servers and their addresses, and not with every heartbeat', () => {
    const first = runningSignature(reading([server()]));
    expect(runningSignature(reading([server({ heartbeat: 'later', uptime_seconds: 9, requests: 3 })]))).toBe(first);
    expect(runningSignature(reading([server({ http: { enabled: true, url: 'http://x/' } })]))).not.toBe(first);
    expect(runningSignature(reading([]))).not.toBe(first);
  });
});

describe('distinctServers', () => {
  it('lists a server of two registries once, with the entry of the first', () => {
    const twice = [
      ...reading([server({ cwd: '/first' })]).registries,
      ...reading([server(), server({ id: 'a_1' })]).registries,
    ];
    expect(distinctServers({ registries: twice, problems: [] }).map(({ id, cwd }) => [id, cwd])).toEqual([
      ['a_1', '/x'],
      ['docs_1', '/first'],
    ]);
  });
});
