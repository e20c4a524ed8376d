import { describe, expect, it } from 'vitest';
import { launchIdentity, plainUrl, proxyChain } from './launch-identity.js';

type Launch = Parameters<typeof launchIdentity>[0];

const program = (launch: Partial<Launch>): Launch => ({ name: 'a', transport: 'stdio', command: 'npx', ...launch });
const remote = (launch: Partial<Launch>): Launch => ({ name: 'a', transport: 'http', ...launch });
const url = (address: string): Launch => remote({ url: address });

const PROXY = 'https://proxy.example/v2/session_ingress/shttp/mcp/x1';
const behind = (address: string) => `${PROXY}?mcp_url=${encodeURIComponent(address)}`;

describe('identityOf', () => {
  it.each<{ title: string; one: Launch; other: Launch }>([
    { title: 'two names', one: program({ name: 'a' }), other: program({ name: 'b' }) },
    { title: 'no arguments and an empty list', one: program({}), other: program({ args: [] }) },
    {
      title: 'a wrapper for Windows',
      one: program({ args: ['-y', 'tool'] }),
      other: program({ command: 'cmd', args: ['/c', 'npx', '-y', 'tool'] }),
    },
    {
      title: 'variables in another order',
      one: program({ env: { A: '1', B: '2' } }),
      other: program({ env: { B: '2', A: '1' } }),
    },
    {
      title: 'one variable without a value in the notation of two clients',
      one: program({ env: { TOKEN: '${TOKEN}' }, missing: ['TOKEN'] }),
      other: program({ env: { TOKEN: '${env:TOKEN}' }, missing: ['TOKEN'] }),
    },
    {
      title: 'two transports with one URL',
      one: url('https://a.example/mcp'),
      other: remote({ transport: 'sse', url: 'https://a.example/mcp' }),
    },
    {
      title: 'headers in another case and order',
      one: remote({ url: 'https://a.example/', headers: { A: '1', B: '2' } }),
      other: remote({ url: 'https://a.example/', headers: { b: '2', a: '1' } }),
    },
    { title: 'the case of a host', one: url('https://A.Example/mcp'), other: url('HTTPS://a.example/mcp') },
    { title: 'a default port', one: url('https://a.example:443/mcp'), other: url('https://a.example/mcp') },
    { title: 'a trailing slash', one: url('https://a.example/mcp//'), other: url('https://a.example/mcp') },
    { title: 'a slash as the only path', one: url('https://a.example/'), other: url('https://a.example') },
    { title: 'an empty query', one: url('https://a.example/mcp?'), other: url('https://a.example/mcp') },
    { title: 'a fragment', one: url('https://a.example/mcp#'), other: url('https://a.example/mcp#x') },
    { title: 'a dot after the host', one: url('https://a.example./mcp'), other: url('https://a.example/mcp') },
    { title: 'a proxy', one: url(behind('https://a.example/mcp')), other: url('https://a.example/mcp/') },
    {
      title: 'a proxy of another kind',
      one: url('https://p.example/v2/ccr-sessions/7/x?a=1&mcp_url=https%3A%2F%2Fa.example%2Fmcp'),
      other: url('https://a.example/mcp'),
    },
    {
      title: 'a proxy behind a proxy',
      one: url(behind(behind('https://a.example/'))),
      other: url('https://a.example/'),
    },
  ])('returns the same identity for $title', ({ one, other }) => {
    expect(launchIdentity(one)).toBe(launchIdentity(other));
  });

  it.each<{ title: string; one: Launch; other: Launch }>([
    { title: 'other arguments', one: program({ args: ['a'] }), other: program({ args: ['b'] }) },
    { title: 'arguments split differently', one: program({ args: ['a b'] }), other: program({ args: ['a', 'b'] }) },
    { title: 'other variables', one: program({ env: { KEY: '1' } }), other: program({ env: { KEY: '2' } }) },
    { title: 'another folder', one: program({ cwd: '/a' }), other: program({ cwd: '/b' }) },
    {
      title: 'another env file',
      one: program({ envFile: '/a/.env' }),
      other: program({ envFile: '/b/.env' }),
    },
    {
      title: 'a script with more commands',
      one: program({ args: ['tool'] }),
      other: program({ command: 'sh', args: ['-c', 'npx tool && rm x'] }),
    },
    {
      title: 'two scripts with different extensions',
      one: program({ command: './a.bat' }),
      other: program({ command: './a.cmd' }),
    },
    {
      title: 'two accounts by header',
      one: remote({ url: 'https://a.example/', headers: { Authorization: '1' } }),
      other: remote({ url: 'https://a.example/', headers: { Authorization: '2' } }),
    },
    {
      title: 'two accounts by helper',
      one: remote({ url: 'https://a.example/', headersHelper: 'me' }),
      other: remote({ url: 'https://a.example/', headersHelper: 'you' }),
    },
    {
      title: 'two accounts by token',
      one: remote({ url: 'https://a.example/', authToken: '1' }),
      other: remote({ url: 'https://a.example/' }),
    },
    { title: 'two accounts in the URL', one: url('https://:a@x.example/'), other: url('https://:b@x.example/') },
    { title: 'another port', one: url('https://a.example:8443/'), other: url('https://a.example/') },
    { title: 'another scheme', one: url('http://a.example/'), other: url('https://a.example/') },
    { title: 'the case of a path', one: url('https://a.example/MCP'), other: url('https://a.example/mcp') },
    { title: 'another query', one: url('https://a.example/?team=1'), other: url('https://a.example/?team=2') },
    {
      title: 'a parameter of that name in a URL that is not a proxy’s',
      one: url('https://b.example/mcp?mcp_url=https://a.example/'),
      other: url('https://a.example/'),
    },
    { title: 'a proxy without a target', one: url(`${PROXY}?mcp_url=nothing`), other: url(PROXY) },
    {
      title: 'two names if there is nothing else',
      one: remote({ transport: 'sdk', name: 'a' }),
      other: remote({ transport: 'sdk', name: 'b' }),
    },
  ])('distinguishes $title', ({ one, other }) => {
    expect(launchIdentity(one)).not.toBe(launchIdentity(other));
  });

  it('keeps text that is not a URL', () => {
    expect(plainUrl('${URL}/mcp/')).toBe('${URL}/mcp/');
  });

  it('follows a limited number of proxies, and takes linear time for many slashes', () => {
    const nested = `${'https://p.example/v2/ccr-sessions/?mcp_url='.repeat(5_000)}https://a.example/`;
    expect(proxyChain(nested)).toHaveLength(5);
    const slashes = `https://a.example/${'/'.repeat(1_000_000)}x`;
    expect(plainUrl(slashes)).toBe(slashes);
  });
});
