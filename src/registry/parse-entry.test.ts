import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEntryFile, toEntry } from './parse-entry.js';

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
  it('reads what we write', () => {
    expect(parse(file)).toEqual(file);
  });

  it.each([
    { title: 'no JSON', text: '{"id":' },
    { title: 'a list', text: '[]' },
    { title: 'nothing', text: '' },
    { title: 'an id that leads elsewhere', text: JSON.stringify({ ...file, id: '../x' }) },
    { title: 'no writer', text: JSON.stringify({ ...file, writer: undefined }) },
    { title: 'no name', text: JSON.stringify({ ...file, server: { ...server, name: '' } }) },
    { title: 'the identity of another pid', text: JSON.stringify({ ...file, server: { ...server, pid: 8 } }) },
    { title: 'a pid of everybody', text: JSON.stringify({ ...file, server: { ...server, pid: -1 } }) },
    { title: 'a nest', text: `{"id":"a_1","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}` },
  ])('believes nothing of $title', ({ text }) => {
    expect(parseEntryFile(text)).toBeUndefined();
  });

  it('never throws, whatever is in the file', () => {
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
      title: 'an address that is none of a server',
      part: { http: { enabled: true, url: 'file:///etc/passwd' } },
      expected: { http: { enabled: true } },
    },
    {
      title: 'a port that is none',
      part: { http: { enabled: true, port: 70_000 } },
      expected: { http: { enabled: true } },
    },
    { title: 'a transport nobody knows', part: { transports: [{ type: 'pigeon' }, 7] }, expected: { transports: [] } },
    { title: 'what would move the cursor', part: { cwd: '/a\u001b[2Jb' }, expected: { cwd: '/ab' } },
    { title: 'tools without end', part: { tools: Array(1_000).fill('t') }, expected: { tools: Array(256).fill('t') } },
    {
      title: 'capabilities without end',
      part: { capabilities: { x: 'y'.repeat(10_000) } },
      expected: { capabilities: {} },
    },
    { title: 'a time that is none', part: { started_at: 'soon' }, expected: { started_at: '' } },
    {
      title: 'a count that is none',
      part: { requests: -1, uptime_seconds: '9' },
      expected: { requests: 0, uptime_seconds: 0 },
    },
  ])('leaves out $title', ({ part, expected }) => {
    expect(toEntry({ ...server, ...part })).toEqual({ ...server, ...expected });
  });
});
