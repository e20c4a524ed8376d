import { describe, expect, it } from 'vitest';
import { checkSettings } from './check-settings.js';
import { DEFAULTS } from './default-settings.js';
import { parseSettingsJson } from './parse-settings.js';

async function check(text: string) {
  const parsed = await parseSettingsJson(text);
  if (parsed.kind === 'broken') throw new Error(parsed.message);
  return checkSettings({ source: '/p/portolan.config.json', value: parsed.value, lineOf: parsed.lineOf });
}

describe('checkSettings', () => {
  it.each([
    {
      title: 'an unknown key',
      text: '{\n"enabld": true}',
      line: 2,
      message: '"enabld" is not a known setting',
      hint: 'known settings: $schema, enabled',
    },
    {
      title: 'an unknown key in a group',
      text: '{"cache": {"tll": 1}}',
      line: 1,
      message: '"cache.tll" is not a known setting',
      hint: 'known settings: enabled, ttl',
    },
    {
      title: 'an unknown key in a list',
      text: '{"toolRules": [\n{"pattern": ["a"]},\n{"pattern": ["a"], "on": 1}]}',
      line: 3,
      message: '"toolRules[1].on" is not a known setting',
      hint: 'known settings: pattern',
    },
    {
      title: 'a word instead of a boolean',
      text: '{"enabled": "yes"}',
      line: 1,
      message: '"enabled" is not true or false',
    },
    {
      title: 'a word instead of a number',
      text: '{"timeouts": {\n\n"callMs": "30s"}}',
      line: 3,
      message: '"timeouts.callMs" is not a number',
    },
    {
      title: 'a fraction of a millisecond',
      text: '{"timeouts": {"callMs": 0.5}}',
      line: 1,
      message: '"timeouts.callMs" is not a whole number',
    },
    {
      title: 'a limit of zero',
      text: '{"limits": {"maxDepth": 0}}',
      line: 1,
      message: '"limits.maxDepth" is not a number of at least 1',
    },
    {
      title: 'an infinite number',
      text: '{"limits": {"maxDepth": 1e400}}',
      line: 1,
      message: '"limits.maxDepth" is not',
    },
    { title: 'a list instead of a map', text: '{"cache": []}', line: 1, message: '"cache" is not a map' },
    { title: 'a map instead of a list', text: '{"sources": {}}', line: 1, message: '"sources" is not a list' },
    {
      title: 'a string instead of a list of patterns',
      text: '{"toolRules": [{"pattern": "*"}]}',
      line: 1,
      message: '"toolRules[0].pattern" is not a list',
    },
    {
      title: 'no pattern',
      text: '{"toolRules": [{"enabled": true}]}',
      message: '"toolRules[0].pattern" is not a list',
    },
    {
      title: 'an empty pattern',
      text: '{"toolRules": [{"pattern": [""]}]}',
      line: 1,
      message: '"toolRules[0].pattern[0]" is not a non-empty string',
    },
    {
      title: 'an unknown choice',
      text: '{"approval": "never"}',
      line: 1,
      message: '"approval" is not one of "project", "all"',
    },
    {
      title: 'an unknown choice in a map',
      text: '{"approval": {\n"files": "never"}}',
      line: 2,
      message: '"approval.files" is not one of "ask", "warn", "off"',
    },
    {
      title: 'a server identified by an unknown key',
      text: '{"deniedMcpServers": [{"name": "x"}]}',
      line: 1,
      message: '"deniedMcpServers[0]" is not one of {"serverName"',
    },
    {
      title: 'a server identified by two keys',
      text: '{"deniedMcpServers": [{"serverName": "x", "serverUrl": "y"}]}',
      line: 1,
      message: '"deniedMcpServers[0]" is not one of',
    },
    {
      title: 'a file URL',
      text: '{"connectorsUrl": "file:///etc/passwd"}',
      line: 1,
      message: '"connectorsUrl" is not an http or https address',
    },
    {
      title: 'a variable with a value',
      text: '{"passEnv": ["A=1"]}',
      line: 1,
      message: '"passEnv[0]" is not the name of an environment variable',
    },
    { title: 'null', text: '{"http": null}', line: 1, message: '"http" is not a map' },
    { title: 'a list of settings', text: '[]', line: 1, message: 'the top level is not a map' },
    {
      title: 'a wrapper that is not a map',
      text: '{\n"discovery": 7}',
      line: 2,
      message: '"discovery" is not a map',
    },
    {
      title: 'a wrong type in the wrapper',
      text: '{"discovery": {\n"cache": {"ttl": "1h"}}}',
      line: 2,
      message: '"discovery.cache.ttl" is not a number',
    },
    {
      title: 'a setting that is not allowed in the wrapper',
      text: '{"discovery": {"timeouts": {"callMs": 1}}}',
      line: 1,
      message: '"discovery.timeouts" is not a known setting',
      hint: 'known settings: enabled, cache, sources, toolRules',
    },
    {
      title: 'a setting inside and outside the wrapper',
      text: '{"cache": {"ttl": 1},\n"discovery": {"cache": {"ttl": 2}}}',
      line: 2,
      message: '"discovery.cache.ttl" is also set as "cache.ttl"',
      hint: 'remove one of the two',
    },
    {
      title: '__proto__ as a key',
      text: '{"__proto__": {"enabled": false}}',
      line: 1,
      message: '"__proto__" is not a known setting',
    },
  ])('reports file, line, key and expected type of $title', async ({ text, line, message, hint = '' }) => {
    const where = { code: 'settings-invalid', severity: 'error', source: '/p/portolan.config.json' };
    expect(await check(text)).toEqual({
      kind: 'invalid',
      problems: [
        {
          ...where,
          ...(line !== undefined && { line }),
          message: expect.stringContaining(message),
          hint: expect.stringContaining(hint),
        },
      ],
    });
  });

  it('accepts its own defaults, comments and trailing commas', async () => {
    expect(await check(JSON.stringify(DEFAULTS))).toMatchObject({ kind: 'valid' });
    const [settings, lines] = [{ cache: { ttl: 5 } }, { 'cache.ttl': 2 }];
    expect(await check('// mine\n{"cache": {"ttl": 5,},}')).toEqual({ kind: 'valid', settings, lines });
    expect(await check(' \n')).toEqual({ kind: 'valid', settings: {}, lines: {} });
    expect(await check('// nothing yet')).toEqual({ kind: 'valid', settings: {}, lines: {} });
  });

  it('accepts some settings in the wrapper `discovery`, beside others outside it', async () => {
    const text = `{"approval": {"scope": "all",\n"elicitation": false},
      "discovery": {"enabled": true, "cache": {"enabled": false,
        "ttl": 5}, "toolRules": [{"pattern": ["a"], "enabled": false}]},
      "cache": {}}`;
    expect(await check(text)).toEqual({
      kind: 'valid',
      settings: {
        ...{ approval: 'all', elicitation: false, enabled: true, cache: { enabled: false, ttl: 5 } },
        toolRules: [{ pattern: ['a'], enabled: false }],
      },
      lines: { approval: 1, elicitation: 2, enabled: 3, 'cache.enabled': 3, 'cache.ttl': 4, toolRules: 4 },
    });
  });

  it.each([
    { title: 'in the map', text: '{"approval": {"elicitation": false}}' },
    { title: 'on its own', text: '{"elicitation": false}' },
    { title: 'beside the map', text: '{"approval": {"files": "warn"}, "elicitation": false}' },
  ])('takes "elicitation" $title', async ({ text }) => {
    expect(await check(text)).toMatchObject({ kind: 'valid', settings: { elicitation: false } });
  });

  it.each([
    {
      title: 'elicitation in both spellings',
      text: '{"elicitation": true,\n"approval": {"elicitation": false}}',
      problem: { line: 2, message: '"approval.elicitation" is also set as "elicitation"' },
    },
    {
      title: 'the files of an approval in both spellings',
      text: '{"approval": {"files": "off"},\n"approvalFiles": "ask"}',
      problem: { line: 1, message: '"approval.files" is also set as "approvalFiles"' },
    },
    {
      title: 'another setting in the map',
      text: '{"approval": {"scope": "all", "enabled": false}}',
      problem: { line: 1, message: '"approval.enabled" is not a known setting' },
    },
    {
      title: 'a wrong value in the map',
      text: '{"approval": {\n"elicitation": 1}}',
      problem: { line: 2, message: expect.stringContaining('"approval.elicitation" is not') },
    },
  ])('refuses $title', async ({ text, problem }) => {
    expect(await check(text)).toMatchObject({ kind: 'invalid', problems: [problem] });
  });

  it('ignores unknown keys only in a file shared with another program', async () => {
    const value = {
      ...{ version: '1', providers: { a: { type: 'b' } }, enabled: true, cache: { ttl: 5, size: 3 } },
      discovery: { toolRules: [{ pattern: ['a'], note: 'c' }], sources: [{ path: 'd', type: 'e' }], languages: ['f'] },
    };
    const written = { source: '/p/anygpt.config.json', value, lineOf: () => undefined };
    expect(checkSettings({ ...written, isShared: true })).toEqual({
      kind: 'valid',
      settings: { enabled: true, cache: { ttl: 5 }, toolRules: [{ pattern: ['a'] }], sources: [{ path: 'd' }] },
      lines: {},
    });
    expect(checkSettings(written)).toMatchObject({
      kind: 'invalid',
      problems: [
        ...['cache.size', 'version', 'providers'],
        ...['discovery.sources[0].type', 'discovery.toolRules[0].note', 'discovery.languages'],
      ].map((key) => ({ message: `"${key}" is not a known setting` })),
    });
  });

  it('reports at most twenty faults of a file', async () => {
    const keys = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]));
    const checked = await check(JSON.stringify(keys));
    expect(checked.kind === 'invalid' && checked.problems).toHaveLength(20);
  });
});

describe('parseSettingsJson', () => {
  it.each([
    {
      title: 'a missing comma',
      text: '{"a": 1\n"b": 2}',
      expected: { message: 'not valid JSON: comma expected', line: 2 },
    },
    {
      title: 'a missing end',
      text: '{"a": ',
      expected: { message: expect.stringContaining('not valid JSON') },
    },
    { title: 'unclosed brackets', text: '['.repeat(500_000), expected: { message: expect.any(String) } },
    {
      title: 'too many levels',
      text: `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
      expected: { message: 'it is nested too deep' },
    },
    { title: 'megabytes', text: `"${'x'.repeat(1024 * 1024)}"`, expected: { message: 'it is larger than 1 MB' } },
  ])('describes the fault of $title', async ({ text, expected }) => {
    expect(await parseSettingsJson(text)).toMatchObject({ kind: 'broken', ...expected });
  });
});
