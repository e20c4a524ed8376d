import { describe, expect, it } from 'vitest';
import { admission } from './admission.js';

const hosts = () => ({ bound: new Set(['localhost']), port: 7420, allowed: [] });
const TOKEN = 'correct-horse';

function statusOf(headers: Record<string, string>, path = '/mcp', token: string | undefined = TOKEN) {
  const refuse = admission({ hosts, open: new Set(['/health']), ...(token !== undefined && { token }) });
  const response = refuse(new Request(`http://localhost${path}`, { headers: { host: 'localhost:7420', ...headers } }));
  return response && [response.status, response.headers.get('www-authenticate')];
}

describe('admission', () => {
  it.each([
    { title: 'the token', headers: { authorization: `Bearer ${TOKEN}` }, expected: undefined },
    {
      title: 'the token with a lower-case scheme',
      headers: { authorization: `bearer ${TOKEN}` },
      expected: undefined,
    },
    { title: 'no token', headers: {}, expected: [401, 'Bearer realm="portolan"'] },
    {
      title: 'half of the token',
      headers: { authorization: 'Bearer correct' },
      expected: [401, expect.stringContaining('invalid_token')],
    },
    {
      title: 'the token with a suffix',
      headers: { authorization: `Bearer ${TOKEN}x` },
      expected: [401, expect.stringContaining('invalid_token')],
    },
    {
      title: 'the token twice',
      headers: { authorization: `Bearer ${TOKEN}, Bearer ${TOKEN}` },
      expected: [401, expect.stringContaining('invalid_token')],
    },
    {
      title: 'another scheme',
      headers: { authorization: `Basic ${TOKEN}` },
      expected: [401, expect.stringContaining('invalid_token')],
    },
    {
      title: 'the token from a page',
      headers: { authorization: `Bearer ${TOKEN}`, origin: 'null' },
      expected: [403, null],
    },
    {
      title: 'the token for another host',
      headers: { authorization: `Bearer ${TOKEN}`, host: 'evil' },
      expected: [403, null],
    },
  ])('answers $title', ({ headers, expected }) => {
    expect(statusOf(headers)).toEqual(expected);
  });

  it('requires no token if none is set or the route is open, but always checks Host and Origin', () => {
    expect(statusOf({}, '/mcp', '')).toBeDefined();
    const bare = admission({ hosts, open: new Set() });
    expect(bare(new Request('http://x/mcp', { headers: { host: 'localhost:7420' } }))).toBeUndefined();
    expect(statusOf({}, '/health')).toBeUndefined();
    expect(statusOf({ origin: 'http://evil.example' }, '/health')).toEqual([403, null]);
    expect(statusOf({ host: 'evil.example' }, '/health')).toEqual([403, null]);
    expect(statusOf({}, '/nowhere')).toEqual([401, 'Bearer realm="portolan"']);
  });
});
