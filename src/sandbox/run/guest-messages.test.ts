import { describe, expect, it } from 'vitest';
import { parseLine } from '../../rpc/index.js';
import type { JobServer } from '../engine.js';
import { readGuestMessage } from './guest-messages.js';

const SERVERS: readonly JobServer[] = [
  { name: 'my-shop', alias: 'my_shop', tools: [{ name: 'get-item', alias: 'get_item' }] },
  { name: 'my_shop', alias: 'my_shop_2', tools: [{ name: 'get_item', alias: 'get_item' }] },
  { name: 'ruled', alias: 'ruled', tools: [], refused: [{ name: 'drop-all', alias: 'drop_all' }] },
  { name: 'new', alias: 'new', tools: [], unlisted: true },
];

const read = (value: unknown) =>
  parseLine(Buffer.from(JSON.stringify(value)), 50).map((message) => readGuestMessage(message, SERVERS));
const request = (method: string, params: unknown, id: unknown = 7) => ({ jsonrpc: '2.0', id, method, params });
const notice = (method: string, params: unknown) => ({ jsonrpc: '2.0', method, params });
const called = (server: string, tool: string, given: unknown = {}) => ({
  kind: 'call',
  id: 7,
  request: { kind: 'tool', server, tool, arguments: given },
});
const nonsense = { kind: 'nonsense', why: expect.any(String) };

describe('readGuestMessage', () => {
  it.each<{ title: string; said: unknown; received: unknown }>([
    {
      title: 'a call by original names',
      said: request('tool', { server: 'my-shop', tool: 'get-item', arguments: { id: 1 } }),
      received: called('my-shop', 'get-item', { id: 1 }),
    },
    {
      title: 'a call by aliases, with the original names',
      said: request('tool', { server: 'my_shop_2', tool: 'get_item', arguments: {} }),
      received: called('my_shop', 'get_item'),
    },
    {
      title: 'a name rather than an equal alias',
      said: request('tool', { server: 'my_shop', tool: 'get_item', arguments: {} }),
      received: called('my_shop', 'get_item'),
    },
    {
      title: 'a server that is not part of the job',
      said: request('tool', { server: '__proto__', tool: 'x', arguments: {} }),
      received: { kind: 'refused', id: 7, message: 'server __proto__ is not available to this code' },
    },
    {
      title: 'an unknown tool',
      said: request('tool', { server: 'my-shop', tool: 'constructor', arguments: {} }),
      received: { kind: 'refused', id: 7, message: 'server my-shop has no tool named constructor' },
    },
    {
      title: 'a denied tool, for which the host returns the reason',
      said: request('tool', { server: 'ruled', tool: 'drop_all', arguments: {} }),
      received: called('ruled', 'drop-all'),
    },
    {
      title: 'another tool of the same server',
      said: request('tool', { server: 'ruled', tool: 'drop', arguments: {} }),
      received: { kind: 'refused', id: 7, message: 'server ruled has no tool named drop' },
    },
    {
      title: 'any tool of a server whose tools are not known yet',
      said: request('tool', { server: 'new', tool: 'any', arguments: {} }),
      received: called('new', 'any'),
    },
    {
      title: 'a name that is too long',
      said: request('tool', { server: 'x'.repeat(2000), tool: 'x', arguments: {} }),
      received: nonsense,
    },
    {
      title: 'arguments that are an array',
      said: request('tool', { server: 'my-shop', tool: 'get-item', arguments: [] }),
      received: nonsense,
    },
    {
      title: 'an id that is a string',
      said: request('tool', { server: 'my-shop', tool: 'get-item', arguments: {} }, 'x'),
      received: nonsense,
    },
    { title: 'an id that is a fraction', said: request('timer', { ms: 1 }, 1.5), received: nonsense },
    {
      title: 'a function of the runtime',
      said: request('runtime', { name: 'list_tools', arguments: { server: 'a' } }),
      received: { kind: 'call', id: 7, request: { kind: 'runtime', name: 'list_tools', arguments: { server: 'a' } } },
    },
    {
      title: 'an unknown function',
      said: request('runtime', { name: 'toString', arguments: {} }),
      received: nonsense,
    },
    { title: 'a timer', said: request('timer', { ms: 12.5 }), received: { kind: 'timer', id: 7, ms: 12.5 } },
    { title: 'a timer in the past', said: request('timer', { ms: -1 }), received: nonsense },
    { title: 'an unknown request', said: request('eval', { code: '1' }), received: nonsense },
    { title: 'an unknown notice', said: notice('job', {}), received: nonsense },
    { title: 'an answer', said: { jsonrpc: '2.0', id: 1, result: 1 }, received: nonsense },
    { title: 'a value that is not a message', said: 42, received: nonsense },
    {
      title: 'printed text',
      said: notice('err', { text: 'x' }),
      received: { kind: 'printed', stream: 'stderr', text: 'x' },
    },
    { title: 'printed output that is not a string', said: notice('out', { text: 1 }), received: nonsense },
    {
      title: 'the ready message',
      said: notice('ready', { python: '3.13' }),
      received: { kind: 'ready', python: '3.13' },
    },
    {
      title: 'a cancellation',
      said: notice('cancel', { id: 3 }),
      received: { kind: 'cancel', id: 3 },
    },
    {
      title: 'the end of a run with a value',
      said: notice('done', { run: 1, result: { text: '3', json: 3 }, files: [], truncated: ['stdout', 'x', 1] }),
      received: { kind: 'done', run: 1, done: { value: { text: '3', json: 3 }, files: [], truncated: ['stdout'] } },
    },
    {
      title: 'the end of a run with an error, truncated',
      said: notice('done', { run: 1, error: { type: '', message: 'x'.repeat(9000), line: -1, code: 'C' } }),
      received: {
        kind: 'done',
        run: 1,
        done: { error: { type: 'Exception', message: `${'x'.repeat(8192)}…`, code: 'C' }, files: [], truncated: [] },
      },
    },
    {
      title: 'the end of a run with files, without those outside the directory',
      said: notice('done', {
        run: 1,
        files: [
          { path: 'a/b.txt', bytes: 1, text: 'x' },
          { path: 'c', bytes: 1, base64: '<script>' },
          { path: '/etc/passwd', bytes: 1 },
          { path: 'a/../../b', bytes: 1 },
          { path: 'c:\\x', bytes: 1 },
          { path: '', bytes: 1 },
          { path: 'd', bytes: -1 },
          'e',
        ],
      }),
      received: {
        kind: 'done',
        run: 1,
        done: {
          files: [
            { path: 'a/b.txt', bytes: 1, text: 'x' },
            { path: 'c', bytes: 1 },
          ],
          truncated: [],
        },
      },
    },
    { title: 'the end of an unknown run', said: notice('done', {}), received: nonsense },
  ])('reads $title', ({ said, received }) => {
    expect(read(said)).toEqual([received]);
  });
});
