import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sdkHandler, serveHttp } from '../fixtures/servers/http-server.js';
import { codeIn, makeTarget, servers, type Target } from '../support/attacks.js';
import { configure, connect, fixture } from '../support/client-over-stdio.js';
import { call, codeOf, type WatchedGateway, watchedGateway } from '../support/gateway-harness.js';

// src/schema-check tests the cost of patterns in schemas, policy-matcher-is-linear.test.ts wildcards in rules, child-windows.test.ts Windows.

describe.concurrent('argument injection (CVE-2025-68143)', { tags: 'S14' }, () => {
  it('passes every argument to a server as written, without a shell', async () => {
    using target = makeTarget();
    const touch = `touch ${target.mark('evil')}`;
    const words = [
      ...[`$(${touch})`, `\`${touch}\``, `;${touch}`, `| ${touch}`, `&& ${touch}`, `> ${target.mark('evil')}`],
      ...[`\n${touch}\n`, '*', '~', '$HOME', '${HOME:-x}', '%PATH%', "it's", '"', '\\', '', ' ', '--', '-e', '-', '@x'],
    ];
    configure(target.machine, { own: fixture(words) });
    await using client = await connect(target.machine);
    const { content } = await client.execute('own', 'argv');
    // Cursor itself expands variables that are written like this; no shell is involved.
    const expected = words.map((argument) => (argument === '${HOME:-x}' ? expect.any(String) : argument));
    expect(JSON.parse(String(content[0]?.text))).toEqual(expected);
    expect(target.ran()).toEqual([]);
  });

  it.each<{ title: string; entry: (target: Target) => object }>([
    { title: 'arguments in the command', entry: ({ mark }) => ({ command: `touch ${mark('evil')}` }) },
    { title: 'two shell commands in the command', entry: ({ mark }) => ({ command: `true;touch ${mark('evil')}` }) },
    { title: 'a substitution as the command', entry: ({ mark }) => ({ command: `$(touch ${mark('evil')})` }) },
    {
      title: 'a substitution as the working directory',
      entry: ({ mark }) => ({ ...fixture(), cwd: `$(touch ${mark('evil')})` }),
    },
    { title: 'a NUL in an argument', entry: ({ mark }) => ({ ...fixture([`a\0touch ${mark('evil')}`]) }) },
    {
      title: 'a substitution in an environment variable',
      entry: ({ mark }) => ({
        command: 'no-such-program',
        env: { PS4: `$(touch ${mark('evil')})`, SHELLOPTS: 'xtrace' },
      }),
    },
  ])('executes nothing from $title', async ({ entry }) => {
    using target = makeTarget();
    configure(target.machine, { own: entry(target) });
    await using client = await connect(target.machine);
    expect(codeIn(await client.execute('own', 'echo', { text: 'a' }))).toBeDefined();
    expect(target.ran()).toEqual([]);
  });

  it.each([
    { title: 'plain arguments', words: '--to "a b"', sent: true },
    ...['$(touch MARK)', '`touch MARK`', '; touch MARK', '| touch MARK', '&& touch MARK', '> MARK'].map((words) => ({
      ...{ title: words, words, sent: false },
    })),
  ])('runs a headers helper without a shell, and refuses one that needs a shell: $title', async ({ words, sent }) => {
    using target = makeTarget();
    await using server = await serveHttp(sdkHandler());
    const helper = target.machine.path('~/helper.cjs');
    writeFileSync(helper, `console.log(JSON.stringify({ 'X-Words': JSON.stringify(process.argv.slice(2)) }))`);
    const line = [process.execPath, helper].map((word) => JSON.stringify(word)).join(' ');
    const headersHelper = `${line} ${words.replace('MARK', target.mark('evil'))}`;
    target.machine.write({ '~/.claude.json': servers({ far: { type: 'http', url: server.url, headersHelper } }) });
    await using client = await connect(target.machine);
    expect(codeIn(await client.execute('far', 'echo', { text: 'a' }))).toBe(sent ? undefined : 'CONNECTION_ERROR');
    expect(server.headers[0]?.get('x-words')).toBe(sent ? '["--to","a b"]' : undefined);
    expect(target.ran()).toEqual([]);
  });

  it.each(['a\r\nX-Evil: 1', 'a\nX-Evil: 1', 'a\0b'])(
    'sends no header whose value contains a line break or NUL: %j',
    async (value) => {
      using target = makeTarget();
      await using server = await serveHttp(sdkHandler());
      configure(target.machine, { far: { url: server.url, headers: { 'X-Own': value } } });
      await using client = await connect(target.machine);
      expect(codeIn(await client.execute('far', 'echo', { text: 'a' }))).toBe('CONNECTION_ERROR');
      expect(server.headers.filter((headers) => headers.has('x-evil'))).toEqual([]);
    },
  );

  it.each([
    '--all',
    '-h',
    '--yes',
    '--from-lock',
    '--',
    'a; touch MARK',
    '$(touch MARK)',
    '`touch MARK`',
    'a\ntouch MARK',
    "'",
  ])('suggests a command that approves exactly this server, for a server named %j', async (written) => {
    using target = makeTarget();
    const name = written.replace('MARK', target.mark('evil'));
    target.machine.write({ '<project>/.mcp.json': servers({ [name]: target.bait('x'), other: target.bait('y') }) });
    await using client = await connect(target.machine);
    const { structuredContent } = await client.execute(name, 'echo', { text: 'a' });
    const { code, hint } = (structuredContent as { error: { code: string; hint: string } }).error;
    expect([code, hint]).toEqual([
      'SERVER_NOT_APPROVED',
      expect.stringMatching(/^ask the user to run: portolan approve [a-z_][\w-]*$/),
    ]);
    const word = hint.slice(hint.lastIndexOf(' ') + 1);
    await target.run(['approve', word, '--yes']);
    const { stdout } = await target.run(['list', '--json']);
    const states = JSON.parse(stdout).servers.map((one: { name: string; state: string }) => [one.name, one.state]);
    expect(Object.fromEntries(states)).toEqual({ [name]: 'ready', other: 'pending-approval' });
  });
});

const SCRIPTED = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/servers/scripted-server.mjs');
/** Ten times and more above the real cost, far below the cost of a backtracking match. */
const BUSY_MS = 2_000;
const EVIL_PATTERNS = [
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '(.*a){25}$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(x+x+)+y',
  '^(\\w+\\s?)*$',
];

describe('ReDoS in a URI template (CVE-2026-0621)', { tags: 'S14' }, () => {
  const target = makeTarget();
  let watched: WatchedGateway;

  beforeAll(async () => {
    const file = target.machine.path('~/responses.json');
    const properties = Object.fromEntries(EVIL_PATTERNS.map((pattern, n) => [`p${n}`, { type: 'string', pattern }]));
    const schemas = { patternProperties: { '^(k+)+$': { type: 'string' } }, ...{ type: 'object', properties } };
    const uriTemplate = (text: string) => ({ name: 't', uriTemplate: text });
    writeFileSync(
      file,
      JSON.stringify({
        capabilities: { tools: {}, resources: {}, completions: {}, prompts: {} },
        'tools/list': { tools: [{ name: 'match', description: 'match', inputSchema: schemas }] },
        'resources/templates/list': {
          resourceTemplates: [
            uriTemplate(`x://${'{/a*}'.repeat(5_000)}`),
            uriTemplate(`x://${'{?a,b*}{&c*}'.repeat(2_000)}`),
            uriTemplate(`x://${'{'.repeat(200_000)}`),
            uriTemplate(`x://{${'a,'.repeat(50_000)}*}`),
          ],
        },
        'completion/complete': { completion: { values: [] } },
      }),
    );
    watched = watchedGateway({ s: { command: process.execPath, args: [SCRIPTED, file] } });
    await watched.client.initialize();
    await watched.client.execute('s', 'match', {});
  });

  afterAll(async () => {
    await watched?.[Symbol.asyncDispose]();
    target[Symbol.dispose]();
  });

  const SLASHES = `portolan://s/x:/${'/a'.repeat(100_000)}\n!`;
  const VALUE = `${'a'.repeat(50_000)}!`;

  // The expected response shows that the long text was processed, not rejected early.
  it.each<{ title: string; method: string; params: Record<string, unknown>; gives: object }>([
    {
      title: 'a list of nested and repeated templates',
      method: 'resources/templates/list',
      params: {},
      gives: { resourceTemplates: Array.from({ length: 4 }, () => ({ name: 't' })) },
    },
    {
      title: 'a URI of a hundred thousand segments',
      method: 'resources/read',
      params: { uri: SLASHES },
      gives: { contents: [{ text: expect.stringContaining('/a'.repeat(100_000)) }] },
    },
    {
      title: 'the completion of a template',
      gives: { completion: { values: [] } },
      method: 'completion/complete',
      params: { ref: { type: 'ref/resource', uri: SLASHES }, argument: { name: 'a', value: VALUE } },
    },
    {
      title: 'the completion of an unknown name',
      gives: { completion: { values: [] } },
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: `s${'__'.repeat(50_000)}` }, argument: { name: 'a', value: VALUE } },
    },
    {
      title: 'a prompt with a long name',
      method: 'prompts/get',
      params: { name: `s__${'_'.repeat(100_000)}` },
      gives: { content: [{ text: expect.stringContaining('_'.repeat(100_000)) }] },
    },
    {
      title: 'a search for one long word',
      gives: { structuredContent: { results: [] } },
      method: 'tools/call',
      params: { name: 'search_tools', arguments: { query: VALUE } },
    },
    {
      title: 'a search for brackets and stars',
      gives: { structuredContent: { results: [] } },
      method: 'tools/call',
      params: { name: 'search_tools', arguments: { query: '(*'.repeat(5_000) } },
    },
    {
      title: 'a name similar to that of a tool',
      gives: { isError: true, structuredContent: { error: { code: 'TOOL_NOT_FOUND' } } },
      method: 'tools/call',
      params: call('s', 'match'.repeat(2_000)),
    },
  ])('does not block the event loop: $title', async ({ method, params, gives }) => {
    await watched.figures('reset');
    expect((await watched.client.request(method, params)).result).toMatchObject(gives);
    expect((await watched.figures('read')).busyMs).toBeLessThan(BUSY_MS);
  });

  const REFUSED = 'TOOL_VALIDATION_ERROR';
  const TEXTS = [`${'a'.repeat(5_000)}!`, 'x'.repeat(5_000), `${'a '.repeat(2_000)}!`, `${'a'.repeat(500)}!`];
  /** Patterns that do not refuse all texts. If the check of a text would take too long, the server decides. */
  const OTHERWISE: Readonly<Record<string, readonly (string | undefined)[]>> = {
    '(.*a){25}$': [undefined, undefined, undefined, REFUSED],
    '^(\\w+\\s?)*$': [REFUSED, undefined, REFUSED, REFUSED],
  };

  it.each(EVIL_PATTERNS.map((pattern, n) => ({ pattern, n })))(
    'does not block the event loop with a pattern in a schema: $pattern',
    async ({ pattern, n }) => {
      const codes = [];
      for (const text of TEXTS) {
        await watched.figures('reset');
        codes.push(codeOf(await watched.client.execute('s', 'match', { [`p${n}`]: text })));
        expect((await watched.figures('read')).busyMs).toBeLessThan(BUSY_MS);
      }
      // The codes show that the pattern was evaluated.
      expect(codes).toEqual(OTHERWISE[pattern] ?? TEXTS.map(() => REFUSED));
    },
  );

  it('does not block the event loop with a pattern for property names', async () => {
    await watched.figures('reset');
    const given = [{ [`${'k'.repeat(5_000)}!`]: 7 }, { ['k'.repeat(5_000)]: 7 }, { ['k'.repeat(5_000)]: 'a' }];
    const codes = [];
    for (const one of given) codes.push(codeOf(await watched.client.execute('s', 'match', one)));
    expect(codes).toEqual([undefined, REFUSED, undefined]);
    expect((await watched.figures('read')).busyMs).toBeLessThan(BUSY_MS);
  });
});
