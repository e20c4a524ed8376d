import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEntryFile, toRegistryEntry } from './parse-entry.js';

const identity = { boot: 'b00t pid:[1]', pid: 7, start: '100' };
const server = {
  name: 'nabu',
  pid: 7,
  stdio_active: false,
  http: { enabled: true, host: 'localhost', port: 80, url: 'http://localhost/' },
  started_at: '2026-01-01T00:00:00.000Z',
  cwd: '/srv',
  transports: [
    { type: 'http', url: 'http://localhost/' },
    { type: 'socket', path: '/run/x.sock' },
  ],
  tools: ['one'],
  capabilities: { tools: { listChanged: true } },
  start_identity: identity,
  heartbeat: '2026-01-01T00:00:00.000Z',
  heartbeat_uptime: 5,
  uptime_seconds: 6,
  requests: 7,
};
const file = { id: 'nabu_7', writer: identity, server };
const parse = (value: unknown) => parseEntryFile(JSON.stringify(value));

describe('parseEntryFile', () => {
  it('parses the files that we write', () => {
    expect(parse(file)).toEqual(file);
  });

  it.each([
    { title: 'invalid JSON', text: '{"id":' },
    { title: 'a list', text: '[]' },
    { title: 'an empty text', text: '' },
    { title: 'an id with a path', text: JSON.stringify({ ...file, id: '../x' }) },
    { title: 'no writer', text: JSON.stringify({ ...file, writer: undefined }) },
    { title: 'no name', text: JSON.stringify({ ...file, server: { ...server, name: '' } }) },
    { title: 'the identity of another pid', text: JSON.stringify({ ...file, server: { ...server, pid: 8 } }) },
    { title: 'pid 0', text: JSON.stringify({ ...file, server: { ...server, pid: -1 } }) },
    { title: 'a deeply nested value', text: `{"id":"a_1","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}` },
  ])('rejects $title', ({ text }) => {
    expect(parseEntryFile(text)).toBeUndefined();
  });

  it('never throws on any input', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (http, transports, tools) => {
        const parsed = parse({ ...file, server: { ...server, http, transports, tools, capabilities: http } });
        expect(parsed?.server.pid).toBe(7);
      }),
    );
  });
});

describe('toEntry', () => {
  it.each([
    {
      title: 'a URL that is not one of a server',
      part: { http: { enabled: true, url: 'file:///etc/passwd' } },
      expected: { http: { enabled: true } },
    },
    {
      title: 'an invalid port',
      part: { http: { enabled: true, port: 70_000 } },
      expected: { http: { enabled: true } },
    },
    { title: 'an unknown transport', part: { transports: [{ type: 'pigeon' }, 7] }, expected: { transports: [] } },
    { title: 'control characters', part: { cwd: '/a\u001b[2Jb' }, expected: { cwd: '/ab' } },
    { title: 'too many tools', part: { tools: Array(1_000).fill('t') }, expected: { tools: Array(256).fill('t') } },
    {
      title: 'too many capabilities',
      part: { capabilities: { x: 'y'.repeat(10_000) } },
      expected: { capabilities: {} },
    },
    { title: 'an invalid time', part: { started_at: 'soon' }, expected: { started_at: '' } },
    {
      title: 'an invalid count',
      part: { requests: -1, uptime_seconds: '9' },
      expected: { requests: 0, uptime_seconds: 0 },
    },
  ])('drops $title', ({ part, expected }) => {
    expect(toRegistryEntry({ ...server, ...part })).toEqual({ ...server, ...expected });
  });
});
