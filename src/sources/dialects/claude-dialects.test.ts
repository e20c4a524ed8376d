import { describe, expect, it } from 'vitest';
import type { Draft } from '../dialect.js';
import { InvalidEntry } from '../fields.js';
import { claudeDesktopDialect, claudeDialect } from './claude-dialects.js';

const usual = { enabled: true, problems: [] };

describe('the dialect of Claude Code', () => {
  it.each<{ title: string; entry: Record<string, unknown>; expected: Partial<Draft> }>([
    {
      title: 'a program without a type',
      entry: { command: 'npx', args: ['-y', 'tool'] },
      expected: { ...usual, transport: 'stdio', command: 'npx', args: ['-y', 'tool'] },
    },
    {
      title: 'stdio with all its fields',
      entry: {
        type: 'stdio',
        command: 'uvx',
        args: ['tool', 1, true],
        env: { TEXT: 'text', NUMBER: 8080, FLAG: false, NONE: null },
        cwd: '/srv',
        description: 'Does things',
        timeout: 30000,
      },
      expected: {
        ...usual,
        transport: 'stdio',
        command: 'uvx',
        args: ['tool', '1', 'true'],
        env: { TEXT: 'text', NUMBER: '8080', FLAG: 'false' },
        cwd: '/srv',
        description: 'Does things',
        timeoutMs: 30000,
      },
    },
    {
      title: 'http with all its fields',
      entry: {
        type: 'http',
        url: 'https://a.example/mcp',
        headers: { Authorization: 'Bearer ${TOKEN}' },
        headersHelper: '/opt/bin/headers.sh',
        oauth: {
          clientId: 'client',
          callbackPort: 8080,
          authServerMetadataUrl: 'https://auth.example/.well-known/x',
          scopes: 'read write',
        },
        env: { A: 'a' },
        description: 'Far away',
        timeout: 1000,
        alwaysLoad: true,
      },
      expected: {
        ...usual,
        transport: 'http',
        url: 'https://a.example/mcp',
        headers: { Authorization: 'Bearer ${TOKEN}' },
        headersHelper: '/opt/bin/headers.sh',
        oauth: {
          clientId: 'client',
          callbackPort: 8080,
          authServerMetadataUrl: 'https://auth.example/.well-known/x',
          scopes: 'read write',
        },
        env: { A: 'a' },
        description: 'Far away',
        timeoutMs: 1000,
      },
    },
    {
      title: 'http under its other name',
      entry: { type: 'streamable-http', url: 'https://a.example/mcp' },
      expected: { ...usual, transport: 'http', url: 'https://a.example/mcp' },
    },
    {
      title: 'sse',
      entry: {
        type: 'sse',
        url: 'https://a.example/sse',
        headers: { A: 'a' },
        headersHelper: 'h',
        oauth: { clientId: 'c' },
      },
      expected: {
        ...usual,
        transport: 'sse',
        url: 'https://a.example/sse',
        headers: { A: 'a' },
        headersHelper: 'h',
        oauth: { clientId: 'c' },
      },
    },
    {
      title: 'ws',
      entry: { type: 'ws', url: 'wss://a.example/', headers: { A: 'a' }, headersHelper: 'h' },
      expected: { ...usual, transport: 'ws', url: 'wss://a.example/', headers: { A: 'a' }, headersHelper: 'h' },
    },
    {
      title: 'sse-ide',
      entry: { type: 'sse-ide', url: 'http://127.0.0.1:4321/sse', ideName: 'Editor', ideRunningInWindows: true },
      expected: {
        ...usual,
        transport: 'sse',
        url: 'http://127.0.0.1:4321/sse',
        ide: { name: 'Editor', runningInWindows: true },
      },
    },
    {
      title: 'ws-ide',
      entry: { type: 'ws-ide', url: 'ws://127.0.0.1:4321', ideName: 'Editor', authToken: 'secret' },
      expected: {
        ...usual,
        transport: 'ws',
        url: 'ws://127.0.0.1:4321',
        authToken: 'secret',
        ide: { name: 'Editor', runningInWindows: false },
      },
    },
    {
      title: 'sdk, which runs inside another program',
      entry: { type: 'sdk', name: 'inner' },
      expected: { ...usual, transport: 'sdk', state: 'client-ignores' },
    },
    {
      title: 'claudeai-proxy',
      entry: { type: 'claudeai-proxy', url: 'https://mcp-proxy.example/v1', id: 'mcpsrv_1' },
      expected: { ...usual, transport: 'claudeai-proxy', url: 'https://mcp-proxy.example/v1', id: 'mcpsrv_1' },
    },
    {
      title: 'a disabled entry',
      entry: { command: 'x', disabled: true },
      expected: { transport: 'stdio', enabled: false, problems: [], command: 'x', args: [] },
    },
    {
      title: 'a timeout below the minimum',
      entry: { command: 'x', timeout: 999 },
      expected: { ...usual, transport: 'stdio', command: 'x', args: [] },
    },
    {
      title: 'the other spelling of the timeout',
      entry: { command: 'x', request_timeout_ms: 45000 },
      expected: { ...usual, transport: 'stdio', command: 'x', args: [], timeoutMs: 45000 },
    },
    {
      title: 'a timeout that is not a number',
      entry: { command: 'x', timeout: 'long' },
      expected: { ...usual, transport: 'stdio', command: 'x', args: [] },
    },
  ])('reads $title', ({ entry, expected }) => {
    expect(claudeDialect(entry)).toEqual(expected);
  });

  it('accepts a URL without a type and warns how Claude Code treats it', () => {
    expect(claudeDialect({ url: 'https://a.example/mcp' })).toEqual({
      enabled: true,
      transport: 'auto',
      url: 'https://a.example/mcp',
      problems: [expect.objectContaining({ code: 'url-without-type', severity: 'warning' })],
    });
  });

  it('starts the program if an entry has both a command and a URL but no type', () => {
    expect(claudeDialect({ command: 'x', url: 'https://a.example/mcp' })).toMatchObject({
      transport: 'stdio',
      command: 'x',
      problems: [{ code: 'ambiguous-entry' }],
    });
  });

  it.each([
    { title: 'no fields', entry: {}, message: /neither/ },
    { title: 'no command', entry: { type: 'stdio', url: 'https://a.example' }, message: /"command"/ },
    { title: 'an empty command', entry: { command: '' }, message: /"command"/ },
    { title: 'no url', entry: { type: 'http', command: 'x' }, message: /"url"/ },
    { title: 'no url for the editor', entry: { type: 'ws-ide', ideName: 'Editor' }, message: /"url"/ },
    { title: 'no editor over sse', entry: { type: 'sse-ide', url: 'http://127.0.0.1:1' }, message: /"ideName"/ },
    { title: 'no editor over ws', entry: { type: 'ws-ide', url: 'ws://127.0.0.1:1' }, message: /"ideName"/ },
    {
      title: 'an editor without a name',
      entry: { type: 'ws-ide', url: 'ws://127.0.0.1:1', ideName: ' ' },
      message: /"ideName"/,
    },
    {
      title: 'an editor whose name is a number',
      entry: { type: 'ws-ide', url: 'ws://127.0.0.1:1', ideName: 7 },
      message: /"ideName" is a number/,
    },
    { title: 'no id of the connector', entry: { type: 'claudeai-proxy', url: 'https://a.example' }, message: /"id"/ },
    {
      title: 'an empty id of the connector',
      entry: { type: 'claudeai-proxy', url: 'https://a.example', id: '' },
      message: /"id"/,
    },
    { title: 'no name inside the other program', entry: { type: 'sdk' }, message: /"name"/ },
    { title: 'an unknown type', entry: { type: 'grpc', url: 'https://a.example' }, message: /"grpc"/ },
    {
      title: 'a type that is a property of every object',
      entry: { type: 'constructor', command: 'x' },
      message: /"constructor"/,
    },
    { title: 'a command that is a list', entry: { command: ['npx'] }, message: /"command"/ },
    { title: 'arguments in one string', entry: { command: 'x', args: '-y' }, message: /"args"/ },
    { title: 'an argument that is a map', entry: { command: 'x', args: [{}] }, message: /"args\[0\]"/ },
    { title: 'variables that are a list', entry: { command: 'x', env: ['A=b'] }, message: /"env"/ },
    {
      title: 'headers that are a string',
      entry: { type: 'http', url: 'https://a.example', headers: 'A: b' },
      message: /"headers"/,
    },
  ])('cannot read an entry with $title', ({ entry, message }) => {
    expect(() => claudeDialect(entry)).toThrow(InvalidEntry);
    expect(() => claudeDialect(entry)).toThrow(message);
  });
});

describe('the dialect of Claude Desktop', () => {
  it('starts programs, and ignores timeouts', () => {
    const entry = { command: 'x', args: ['a'], env: { A: 1 }, timeout: 5000 };
    expect(claudeDesktopDialect(entry)).toEqual({
      ...usual,
      transport: 'stdio',
      command: 'x',
      args: ['a'],
      env: { A: '1' },
    });
  });

  it.each([
    { entry: { url: 'https://a.example/mcp' }, transport: 'auto' },
    { entry: { type: 'http', url: 'https://a.example/mcp' }, transport: 'http' },
    { entry: { type: 'sse', url: 'https://a.example/sse' }, transport: 'sse' },
  ])('skips a URL of type $transport', ({ entry, transport }) => {
    expect(claudeDesktopDialect(entry)).toMatchObject({
      transport,
      state: 'client-ignores',
      problems: [{ code: 'unsupported-transport-for-client' }],
    });
  });
});
