import { describe, expect, it } from 'vitest';
import type { Definition, LaunchFields } from './definition.js';
import { maskDefinition, maskScanResult } from './mask.js';
import type { ServerRecord } from './server-record.js';

function definition(launch: LaunchFields, written: LaunchFields = launch, more: Partial<Definition> = {}): Definition {
  return {
    name: 'a',
    client: 'cursor',
    scope: 'user',
    source: '/h/mcp.json',
    line: 3,
    transport: launch.url === undefined ? 'stdio' : 'http',
    state: 'ready',
    enabled: true,
    precedence: 10,
    ...launch,
    written,
    ...more,
  };
}

function server({ name, source, line, state, transport, command, args, env, url, headers }: Definition): ServerRecord {
  const launch = { command, args, env, url, headers };
  return {
    name,
    alias: 'a',
    state,
    transport,
    source,
    origins: [{ client: 'cursor', scope: 'user', source, line }],
    shadowed: [],
    fingerprint: '0'.repeat(64),
    ...Object.fromEntries(Object.entries(launch).filter(([, value]) => value !== undefined)),
  };
}

const CASES: readonly {
  readonly title: string;
  readonly launch: LaunchFields;
  readonly written?: LaunchFields;
  /** The masked launch, and the masked `written` if it differs. */
  readonly shown: LaunchFields;
  readonly shownWritten?: LaunchFields;
}[] = [
  {
    title: 'every header',
    launch: { url: 'https://a.example/mcp', headers: { Authorization: 'Bearer abc', 'X-Team': 'blue' } },
    shown: { url: 'https://a.example/mcp', headers: { Authorization: '[secret]', 'X-Team': '[secret]' } },
  },
  {
    title: 'variables with the name of a secret only',
    launch: {
      command: 'node',
      env: {
        API_KEY: 'a',
        GH_TOKEN: 'b',
        MY_SECRET: 'c',
        DB_PASSWORD: 'd',
        GCP_CREDENTIALS: 'e',
        MONKEY: 'george',
        LEVEL: 'debug',
        DATABASE_URL: 'postgres://me:pw@db/x',
        OTHER: 'ghp_0123456789',
      },
    },
    shown: {
      command: 'node',
      env: {
        API_KEY: '[secret]',
        GH_TOKEN: '[secret]',
        MY_SECRET: '[secret]',
        DB_PASSWORD: '[secret]',
        GCP_CREDENTIALS: '[secret]',
        MONKEY: 'george',
        LEVEL: 'debug',
        DATABASE_URL: 'postgres://[secret]@db/x',
        OTHER: '[secret]',
      },
    },
  },
  {
    title: 'secrets in URLs',
    launch: { url: 'https://me:pw@a.example/mcp?token=abc&page=2' },
    shown: { url: 'https://[secret]@a.example/mcp?token=[secret]&page=2' },
  },
  {
    title: 'arguments after and within secret flags',
    launch: { command: 'node', args: ['a.js', '--api-key', 'abc', '--token=abc', '--dir', '/etc/keys'] },
    shown: { command: 'node', args: ['a.js', '--api-key', '[secret]', '--token=[secret]', '--dir', '/etc/keys'] },
  },
  {
    title: 'secrets in a command that contains the whole line',
    launch: { command: 'npx -y server --token abc' },
    shown: { command: 'npx -y server --token [secret]' },
  },
  {
    title: 'values of references, keeping the references',
    launch: {
      command: 'node',
      args: ['--token', 'abc', '--auth', 'abc', '/home/me/docs'],
      env: { API_KEY: 'abc', PLAIN: 'abc', LEVEL: 'debug' },
    },
    written: {
      command: 'node',
      args: ['--token', '${TOKEN}', '--auth', '${MY_TOKEN}', '${HOME}/docs'],
      env: { API_KEY: '${API_KEY}', PLAIN: '${env:MY_KEY}', LEVEL: '${LEVEL}' },
    },
    shown: {
      command: 'node',
      args: ['--token', '[secret]', '--auth', '[secret]', '/home/me/docs'],
      env: { API_KEY: '[secret]', PLAIN: '[secret]', LEVEL: 'debug' },
    },
    shownWritten: {
      command: 'node',
      args: ['--token', '${TOKEN}', '--auth', '${MY_TOKEN}', '${HOME}/docs'],
      env: { API_KEY: '${API_KEY}', PLAIN: '${env:MY_KEY}', LEVEL: '${LEVEL}' },
    },
  },
  {
    title: 'the value of a reference inside a URL and a header',
    launch: { url: 'https://a.example/abc/mcp', headers: { Authorization: 'Bearer abc' } },
    written: { url: 'https://a.example/${MY_KEY}/mcp', headers: { Authorization: 'Bearer ${MY_KEY}' } },
    shown: { url: 'https://a.example/[secret]/mcp', headers: { Authorization: '[secret]' } },
    shownWritten: { url: 'https://a.example/${MY_KEY}/mcp', headers: { Authorization: 'Bearer ${MY_KEY}' } },
  },
  {
    title: 'values from another file',
    launch: { command: 'node', args: ['abc'], env: { PLAIN: 'abc' } },
    written: { command: 'node', args: ['{file:~/key}'], env: { PLAIN: '${file:~/key}' } },
    shown: { command: 'node', args: ['[secret]'], env: { PLAIN: '[secret]' } },
    shownWritten: { command: 'node', args: ['{file:~/key}'], env: { PLAIN: '${file:~/key}' } },
  },
  {
    title: 'the default of a reference',
    launch: { command: 'node', env: { API_KEY: 'abc' } },
    written: { command: 'node', env: { API_KEY: '${API_KEY:-abc}' } },
    shown: { command: 'node', env: { API_KEY: '[secret]' } },
  },
  {
    title: 'a literal secret that begins like a reference',
    launch: { url: 'https://a.example/', headers: { Authorization: '$ecret' } },
    shown: { url: 'https://a.example/', headers: { Authorization: '[secret]' } },
  },
];

describe('masking', () => {
  it.each(CASES)('masks $title', ({ launch, written = launch, shown, shownWritten = shown }) => {
    const found = definition(launch, written);
    const masked = maskScanResult({ definitions: [found], servers: [server(found)], problems: [] });
    expect(masked.definitions).toEqual([definition(shown, shownWritten)]);
    expect(masked.servers).toEqual([server(definition(shown))]);
  });

  it('masks tokens and OAuth secrets, and keeps other fields', () => {
    const more = {
      authToken: 'abc',
      oauth: {
        clientId: 'c-1',
        clientSecret: 'abc',
        client_secret: 'abc',
        token_url: 'https://a.example/t',
        callbackPort: 80,
      },
      headersHelper: 'print-headers --token abc',
      description: 'asks ghp_0123456789 for charts',
    };
    expect(maskDefinition(definition({ url: 'https://a.example/' }, {}, more))).toMatchObject({
      authToken: '[secret]',
      oauth: {
        clientId: 'c-1',
        clientSecret: '[secret]',
        client_secret: '[secret]',
        token_url: 'https://a.example/t',
        callbackPort: 80,
      },
      headersHelper: 'print-headers --token [secret]',
      description: 'asks [secret] for charts',
    });
  });

  it('masks the value of any reference in sign-in settings, and keeps the reference', () => {
    const written = {
      clientId: '${ID}',
      privateKey: '${KEY}',
      privateKeyFile: '~/k.pem',
      clientSecret: 'abc',
      port: 80,
    };
    const oauth = { ...written, clientId: 'from-a-variable', privateKey: 'abc' };
    const found = definition({ url: 'https://a.example/' }, {}, { written: { oauth: written }, oauth });
    const masked = maskDefinition(found);
    expect([masked.oauth, masked.written.oauth]).toEqual([
      { ...written, clientId: '[secret]', privateKey: '[secret]', clientSecret: '[secret]' },
      { ...written, clientSecret: '[secret]' },
    ]);
  });

  it('changes nothing else', () => {
    const launch = {
      command: 'npx',
      args: ['-y', 'task-master-ai', '--keyboard', 'us'],
      env: { A: 'b', KUBECONFIG: '/home/me/.kube/config', TOKEN: '' },
      cwd: '/srv',
    };
    const found = definition(launch, launch, { timeoutMs: 5, tools: { deny: ['x'] }, missing: ['TOKEN'] });
    expect(maskDefinition(found)).toEqual(found);
  });
});
