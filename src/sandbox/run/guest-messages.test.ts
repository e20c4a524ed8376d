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
  it.each<{ title: string; said: unknown; heard: unknown }>([
    {
      title: 'a call by original names',
      said: request('tool', { server: 'my-shop', tool: 'get-item', arguments: { id: 1 } }),
      heard: called('my-shop', 'get-item', { id: 1 }),
    },
    {
      title: 'a call by aliases, with the original names',
      said: request('tool', { server: 'my_shop_2', tool: 'get_item', arguments: {} }),
      heard: called('my_shop', 'get_item'),
    },
    {
      title: 'a name rather than an equal alias',
      said: request('tool', { server: 'my_shop', tool: 'get_item', arguments: {} }),
      heard: called('my_shop', 'get_item'),
    },
    {
      title: 'a server that is not part of the job',
      said: request('tool', { server: '__proto__', tool: 'x', arguments: {} }),
      heard: { kind: 'refused', id: 7, message: 'server __proto__ is not available to this code' },
    },
    {
      title: 'an unknown tool',
      said: request('tool', { server: 'my-shop', tool: 'constructor', arguments: {} }),
      heard: { kind: 'refused', id: 7, message: 'server my-shop has no tool named constructor' },
    },
    {
      title: 'a denied tool, for which the host returns the reason',
      said: request('tool', { server: 'ruled', tool: 'drop_all', arguments: {} }),
      heard: called('ruled', 'drop-all'),
    },
    {
      title: 'another tool of the same server',
      said: request('tool', { server: 'ruled', tool: 'drop', arguments: {} }),
      heard: { kind: 'refused', id: 7, message: 'server ruled has no tool named drop' },
    },
    {
      title: 'any tool of a server whose tools are not known yet',
      said: request('tool', { server: 'new', tool: 'any', arguments: {} }),
      heard: called('new', 'any'),
    },
    {
      title: 'a name that is too long',
      said: request('tool', { server: 'x'.repeat(2000), tool: 'x', arguments: {} }),
      heard: nonsense,
    },
    {
      title: 'arguments that are an array',
      said: request('tool', { server: 'my-shop', tool: 'get-item', arguments: [] }),
      heard: nonsense,
    },
    {
      title: 'an id that is a string',
      said: request('tool', { server: 'my-shop', tool: 'get-item', arguments: {} }, 'x'),
      heard: nonsense,
    },
    { title: 'an id that is a fraction', said: request('timer', { ms: 1 }, 1.5), heard: nonsense },
    {
      title: 'a function of the runtime',
      said: request('runtime', { name: 'list_tools', arguments: { server: 'a' } }),
      heard: { kind: 'call', id: 7, request: { kind: 'runtime', name: 'list_tools', arguments: { server: 'a' } } },
    },
    {
      title: 'an unknown function',
      said: request('runtime', { name: 'toString', arguments: {} }),
      heard: nonsense,
    },
    { title: 'a timer', said: request('timer', { ms: 12.5 }), heard: { kind: 'timer', id: 7, ms: 12.5 } },
    { title: 'a timer in the past', said: request('timer', { ms: -1 }), heard: nonsense },
    { title: 'an unknown request', said: request('eval', { code: '1' }), heard: nonsense },
    { title: 'an unknown notice', said: notice('job', {}), heard: nonsense },
    { title: 'an answer', said: { jsonrpc: '2.0', id: 1, result: 1 }, heard: nonsense },
    { title: 'a value that is not a message', said: 42, heard: nonsense },
    {
      title: 'printed text',
      said: notice('err', { text: 'x' }),
      heard: { kind: 'printed', stream: 'stderr', text: 'x' },
    },
    { title: 'printed output that is not a string', said: notice('out', { text: 1 }), heard: nonsense },
    { title: 'the ready message', said: notice('ready', { python: '3.13' }), heard: { kind: 'ready', python: '3.13' } },
    {
      title: 'a cancellation',
      said: notice('cancel', { id: 3 }),
      heard: { kind: 'cancel', id: 3 },
    },
    {
      title: 'the end of a run with a value',
      said: notice('done', { run: 1, result: { text: '3', json: 3 }, files: [], truncated: ['stdout', 'x', 1] }),
      heard: { kind: 'done', run: 1, done: { value: { text: '3', json: 3 }, files: [], truncated: ['stdout'] } },
    },
    {
      title: 'the end of a run with an error, truncated',
      said: notice('done', { run: 1, error: { type: '', message: 'x'.repeat(9000), line: -1, code: 'C' } }),
      heard: {
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
      heard: {
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
    { title: 'the end of an unknown run', said: notice('done', {}), heard: nonsense },
  ])('reads $title', ({ said, heard }) => {
    expect(read(said)).toEqual([heard]);
  });
});
