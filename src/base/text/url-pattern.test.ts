import { describe, expect, it } from 'vitest';
import { matchesUrl } from './url-pattern.js';

/** The lists in which the pattern matches: an allow list is strict, a deny list generous. */
type Matches = 'both' | 'neither' | 'generous';

describe('matchesUrl', () => {
  it.each<{ pattern: string; url: string; matches: Matches }>([
    { pattern: 'https://a.example/mcp', url: 'https://a.example/mcp', matches: 'both' },
    { pattern: 'https://a.example/mcp', url: 'https://a.example/MCP', matches: 'neither' },
    { pattern: 'https://A.Example/mcp', url: 'https://a.EXAMPLE/mcp', matches: 'both' },
    { pattern: 'HTTPS://a.example/mcp', url: 'https://a.example/mcp', matches: 'both' },
    { pattern: 'https://a.example/mcp', url: 'https://a.example./mcp', matches: 'both' },
    { pattern: 'https://a.example./mcp', url: 'https://a.example/mcp', matches: 'both' },
    // No path matches any path; a slash is a path.
    { pattern: 'https://a.example', url: 'https://a.example/any/path?x=1', matches: 'both' },
    { pattern: 'https://a.example', url: 'https://a.example.evil.example/', matches: 'neither' },
    { pattern: 'https://a.example/*', url: 'https://a.example', matches: 'both' },
    { pattern: 'https://a.example/', url: 'https://a.example/mcp', matches: 'neither' },
    { pattern: 'https://a.example?x=1', url: 'https://a.example/?x=1', matches: 'both' },
    { pattern: 'https://*.example/*', url: 'https://deep.er.example/x/y', matches: 'both' },
    { pattern: 'https://*.example/*', url: 'https://evil.test/a.example/', matches: 'neither' },
    { pattern: 'https://*.example', url: 'https://evil.test/.example', matches: 'neither' },
    { pattern: 'https://*.example/*', url: 'https://example/x', matches: 'neither' },
    { pattern: 'https://a.example/v*/mcp', url: 'https://a.example/v2/mcp', matches: 'both' },
    // Schemes.
    { pattern: '*://a.example/*', url: 'http://a.example/x', matches: 'both' },
    { pattern: 'http*://a.example/*', url: 'https://a.example/x', matches: 'both' },
    { pattern: 'https://a.example/*', url: 'http://a.example/x', matches: 'neither' },
    { pattern: 'wss://a.example', url: 'wss://a.example:443/x', matches: 'both' },
    // Ports.
    { pattern: 'http://localhost:*/*', url: 'http://localhost:3000/mcp', matches: 'both' },
    { pattern: 'http://localhost:*', url: 'http://localhost/mcp', matches: 'both' },
    { pattern: 'http://localhost:3*', url: 'http://localhost:3000/mcp', matches: 'both' },
    { pattern: 'http://localhost:3000', url: 'http://localhost:30001/', matches: 'neither' },
    { pattern: 'https://a.example:443/*', url: 'https://a.example/x', matches: 'both' },
    { pattern: 'https://a.example', url: 'https://a.example:443/x', matches: 'both' },
    { pattern: '*://a.example:443', url: 'https://a.example/x', matches: 'both' },
    { pattern: '*://a.example:80', url: 'https://a.example/x', matches: 'neither' },
    { pattern: 'http://a.example:443', url: 'http://a.example/', matches: 'neither' },
    { pattern: 'https://a.example/*', url: 'https://a.example:8443/x', matches: 'neither' },
    { pattern: 'https://*.example', url: 'https://a.example:8443/x', matches: 'neither' },
    { pattern: 'https://*', url: 'https://a.example:8443/x', matches: 'both' },
    // Without a scheme the pattern is a host, and in a deny list any part of the URL.
    { pattern: '*', url: 'https://a.example/x', matches: 'both' },
    { pattern: 'a.example', url: 'https://a.example/x', matches: 'both' },
    { pattern: '*.Example/mcp', url: 'https://A.example/mcp', matches: 'both' },
    { pattern: '*.example/*', url: 'https://evil.test/x.example/', matches: 'generous' },
    { pattern: '*EVIL*', url: 'https://a.example/evil', matches: 'generous' },
    { pattern: 'a.example/?to=https://b', url: 'https://a.example/?to=https://b', matches: 'both' },
    // Two spellings of one host.
    { pattern: 'http://[::1]:3000', url: 'http://[0:0:0:0:0:0:0:1]:3000/', matches: 'both' },
    { pattern: 'http://[0:0::1]', url: 'http://[::1]/', matches: 'both' },
    { pattern: 'http://[fe80:*]:3000', url: 'http://[FE80:0::1]:3000/', matches: 'both' },
    { pattern: 'http://127.0.0.1', url: 'http://0x7f.1/', matches: 'both' },
    { pattern: 'http://2130706433', url: 'http://127.0.0.1/', matches: 'both' },
    { pattern: 'http://127.0.0.*', url: 'http://127.1/', matches: 'both' },
    { pattern: 'https://evil.example', url: 'https://%65vil.example/', matches: 'both' },
    { pattern: 'https://*.münchen.example', url: 'https://a.xn--mnchen-3ya.example/', matches: 'both' },
    { pattern: 'https://evil.example', url: ' ht\ttps://ev\nil.example/ ', matches: 'both' },
    { pattern: 'https://evil.example', url: 'https:evil.example', matches: 'both' },
    { pattern: 'https://evil.example', url: 'https:\\\\evil.example\\x', matches: 'both' },
    { pattern: 'https://evil.example', url: 'https://evil。example/', matches: 'both' },
    // The host is the one that the connection uses, not the one that a reader may see.
    { pattern: 'https://good.example/*', url: 'https://good.example@evil.example/x', matches: 'neither' },
    { pattern: 'https://evil.example/*', url: 'https://good.example@evil.example/x', matches: 'both' },
    { pattern: 'https://good.example/*', url: 'https://evil.example\\@good.example/x', matches: 'neither' },
    { pattern: 'https://good.example/*', url: 'https://evil.example#@good.example/x', matches: 'neither' },
    { pattern: 'https://good.example*', url: 'https://good.example:x@evil.example/', matches: 'neither' },
    { pattern: 'https://a:b@good.example', url: 'https://good.example/', matches: 'both' },
    // Differences in the path that most servers ignore.
    { pattern: 'https://a.example/mcp', url: 'https://a.example/x/%2e%2E/mcp', matches: 'both' },
    { pattern: 'https://a.example/mcp', url: 'https://a.example/%6dcp', matches: 'both' },
    { pattern: 'https://a.example/~me', url: 'https://a.example/%7eme', matches: 'both' },
    { pattern: 'https://a.example/é', url: 'https://a.example/%c3%a9', matches: 'both' },
    { pattern: 'https://a.example/mcp', url: 'https://a.example/mcp#x', matches: 'both' },
    { pattern: 'https://a.example/mcp', url: 'https://a.example/mcp?x=1', matches: 'generous' },
    { pattern: 'https://a.example/mcp', url: 'https://a.example/mcp/', matches: 'generous' },
    { pattern: 'https://a.example/mcp', url: 'https://a.example//mcp', matches: 'generous' },
    { pattern: 'https://a.example/mcp?x=1', url: 'https://a.example/mcp?x=2', matches: 'neither' },
    { pattern: 'https://a.example/a/*', url: 'https://a.example/a/../b', matches: 'neither' },
    // Text that is not a URL can be denied, never allowed.
    { pattern: '*', url: '${URL}/mcp', matches: 'generous' },
    { pattern: 'https://*', url: 'https://a b/mcp', matches: 'generous' },
  ])('$pattern and $url: $matches', ({ pattern, url, matches }) => {
    expect({ strict: matchesUrl(pattern, url, 'strict'), generous: matchesUrl(pattern, url, 'generous') }).toEqual({
      strict: matches === 'both',
      generous: matches !== 'neither',
    });
  });
});
