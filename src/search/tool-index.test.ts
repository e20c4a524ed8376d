import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IndexedTool } from './search-types.js';
import { createToolIndex } from './tool-index.js';

const schema = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string', description: `the ${name}` }])),
});

const TOOLS: readonly IndexedTool[] = [
  {
    server: 'github',
    name: 'create_issue',
    description: 'Create a new issue in a GitHub repository',
    inputSchema: schema('owner', 'repo', 'title'),
  },
  { server: 'github', name: 'list_issues', description: 'List the issues of a repository' },
  { server: 'github', name: 'merge_pull_request', description: 'Merge a pull request' },
  { server: 'linear', name: 'createIssue', description: 'Create an issue in a team', tags: ['tracker'] },
  {
    server: 'mail',
    name: 'send',
    description: 'Send an email to one or more people',
    inputSchema: schema('recipient', 'subject'),
  },
  { server: 'mail', name: 'delete_message', description: 'Delete a message for good', enabled: false },
  { server: 'weather-mcp-server', name: 'forecast', description: 'The forecast for a city over the next days' },
  { server: 'fs', name: 'read_file', description: 'Read a file from the disk' },
  { server: 'fs', name: 'write_file', description: 'Write a file to the disk' },
];

const show = (results: readonly { readonly server: string; readonly tool: string }[]) =>
  results.map(({ server, tool }) => `${server}/${tool}`);

describe('search', () => {
  it('returns server, tool, summary, relevance, tags, matching words and score parts', () => {
    expect(createToolIndex(TOOLS).search('open an issue for my team', { limit: 1 })).toEqual([
      {
        server: 'linear',
        tool: 'createIssue',
        summary: 'Create an issue in a team',
        relevance: expect.closeTo(0.5, 1),
        tags: ['tracker'],
        why: ['issue', 'linear', 'team'],
        parts: { words: 1, semantics: 0, use: 0, server: 0 },
      },
    ]);
  });

  it.each([
    { need: 'create_issue', first: ['github/create_issue', 'linear/createIssue'] },
    { need: 'createIssue', first: ['linear/createIssue', 'github/create_issue'] },
    { need: 'linear create issue', first: ['linear/createIssue'] },
    { need: 'linear.create_issue', first: ['linear/createIssue'] },
    { need: 'linear__createIssue', first: ['linear/createIssue'] },
    { need: 'createIssue (linear)', first: ['linear/createIssue'] },
    { need: 'github', first: ['github/create_issue', 'github/list_issues', 'github/merge_pull_request'] },
    { need: 'weather', first: ['weather-mcp-server/forecast'] },
    { need: 'weather-mcp-server', first: ['weather-mcp-server/forecast'] },
    { need: 'WeatherMcpServer.forecast', first: ['weather-mcp-server/forecast'] },
    { need: 'send', first: ['mail/send'] },
    { need: 'mail', first: ['mail/send'] },
  ])('ranks the tool or server that $need names first', ({ need, first }) => {
    const results = createToolIndex(TOOLS).search(need);
    expect(show(results).slice(0, first.length).toSorted()).toEqual(first.toSorted());
    expect(show(results)[0]).toBe(first[0]);
    expect(results[0]?.relevance).toBe(1);
  });

  it.each([
    { need: 'mail__send', first: 'mail/send' },
    { need: 'mail_send', first: 'all/mail_send' },
  ])('prefers the exact spelling for $need', ({ need, first }) => {
    const index = createToolIndex([{ server: 'all', name: 'mail_send' }, ...TOOLS]);
    expect(show(index.search(need))[0]).toBe(first);
  });

  it.each([
    { title: 'other forms of its words', need: 'creating issues in repositories', first: 'github/create_issue' },
    { title: 'a synonym', need: 'climate', first: 'weather-mcp-server/forecast' },
    { title: 'the name of a parameter', need: 'recipient', first: 'mail/send' },
    { title: 'a tag', need: 'tracker', first: 'linear/createIssue' },
    { title: 'a typo', need: 'merge a pull reqeust', first: 'github/merge_pull_request' },
    { title: 'a typo in the only word', need: 'forcast', first: 'weather-mcp-server/forecast' },
    {
      title: 'a long sentence',
      need: 'Hi! I have a draft here. Could you please send it as an email to Bob?',
      first: 'mail/send',
    },
  ])('finds a tool by $title', ({ need, first }) => {
    expect(show(createToolIndex(TOOLS).search(need))[0]).toBe(first);
  });

  it.each([
    { title: 'as a list', query: ['send an email', 'read a file', 'weather forecast'] },
    { title: 'one on each line', query: 'send an email\nread a file\n\nweather forecast' },
  ])('returns the best tool of each of several needs, $title', ({ query }) => {
    const results = createToolIndex(TOOLS).search(query, { limit: 4 });
    expect(show(results).slice(0, 3)).toEqual(['mail/send', 'fs/read_file', 'weather-mcp-server/forecast']);
    expect(results).toHaveLength(4);
    expect(new Set(show(results)).size).toBe(4);
  });

  it('returns disabled tools only with includeDisabled', () => {
    const index = createToolIndex(TOOLS);
    expect(show(index.search('delete_message'))).not.toContain('mail/delete_message');
    expect(show(index.search('delete_message', { includeDisabled: true }))[0]).toBe('mail/delete_message');
  });

  it('searches only the given server', () => {
    const results = createToolIndex(TOOLS).search('create issue', { server: 'github' });
    expect(new Set(results.map(({ server }) => server))).toEqual(new Set(['github']));
  });

  it.each([
    { limit: 2, count: 2 },
    { limit: 0, count: 1 },
    { limit: Number.NaN, count: 10 },
    { limit: 1e9, count: 100 },
  ])('returns $count results for a limit of $limit', ({ limit, count }) => {
    const many = Array.from({ length: 300 }, (_, n) => ({ server: 's', name: `tool_${n}`, description: 'a thing' }));
    expect(createToolIndex(many).search('thing', { limit })).toHaveLength(count);
  });

  it.each(['', ' \n ', '???', 'the of and', 'zzzzqq'])('returns nothing for %j', (need) => {
    expect(createToolIndex(TOOLS).search(need)).toEqual([]);
  });

  it('marks results that cover little of the need as weak', () => {
    const marks = createToolIndex(TOOLS)
      .search('merge a pull request')
      .map(({ tool, weak }) => [tool, weak === true]);
    expect(marks).toEqual([
      ['merge_pull_request', false],
      ['read_file', true],
    ]);
  });

  it.each([
    'rent a bicycle in Lisbon for the next summer holiday',
    'book a table in a restaurant nearby',
    'translate my thesis into Icelandic and print it tomorrow',
  ])('returns nothing for a need that no tool covers: %s', (need) => {
    expect(createToolIndex(TOOLS).search(need)).toEqual([]);
  });
});

describe('add, remove and remember', () => {
  it('replaces all tools of a server that is added again', () => {
    const index = createToolIndex(TOOLS);
    index.add([{ server: 'github', name: 'create_issue', description: 'Opens a ticket' }]);
    expect(show(index.search('github')).filter((path) => path.startsWith('github/'))).toEqual(['github/create_issue']);
    expect(index.search('create_issue')[0]?.summary).toBe('Opens a ticket');
  });

  it('removes the tools of one server only', () => {
    const index = createToolIndex(TOOLS);
    index.remove('github');
    expect(show(index.search('create issue')).filter((path) => path.startsWith('github/'))).toEqual([]);
    expect(show(index.search('create issue'))[0]).toBe('linear/createIssue');
    expect(show(index.search('read_file'))[0]).toBe('fs/read_file');
  });

  it('ranks the same whether servers are added at once, one by one or repeatedly', () => {
    const servers = Array.from({ length: 60 }, (_, n) =>
      TOOLS.map((tool) => ({ ...tool, server: `${tool.server}${n}`, description: `${tool.description} number${n}` })),
    );
    const atOnce = createToolIndex(servers.flat());
    const inSteps = createToolIndex();
    for (const tools of servers) inSteps.add(tools);
    for (const tools of servers.slice(0, 40)) inSteps.add(tools);
    for (const need of ['create issue number7', 'send an email number30', 'fs59 read file', 'forecast']) {
      const [one, other] = [atOnce, inSteps].map((index) => index.search(need, { limit: 3 }));
      expect(other?.[0]?.relevance).toBeCloseTo(one?.[0]?.relevance ?? -1, 1);
      if (need !== 'forecast') expect(show(other ?? [])[0]).toBe(show(one ?? [])[0]);
    }
  });

  it('finds a tool by a remembered need, also after its server was removed and added, and in a new index', () => {
    let now = 1_700_000_000_000;
    const index = createToolIndex(TOOLS, { now: () => now });
    const need = 'ping the boss';
    expect(show(index.search(need))).toEqual([]);
    index.remember({ server: 'mail', tool: 'send' }, 'ping my boss about lunch');
    expect(show(index.search(need))[0]).toBe('mail/send');
    index.remove('mail');
    expect(show(index.search(need))).toEqual([]);
    index.add(TOOLS.filter(({ server }) => server === 'mail'));
    now += 24 * 60 * 60 * 1000;
    const later = createToolIndex(TOOLS, { now: () => now });
    later.recall(JSON.parse(JSON.stringify(index.memory())));
    expect(show(later.search(need))[0]).toBe('mail/send');
  });

  it('counts a remembered need less after 360 days', () => {
    let now = 1_700_000_000_000;
    const index = createToolIndex(TOOLS, { now: () => now });
    index.remember({ server: 'mail', tool: 'send' }, 'ping the boss');
    const fresh = index.search('ping the boss')[0]?.relevance ?? 0;
    const kept = index.memory();
    now += 360 * 24 * 60 * 60 * 1000;
    const later = createToolIndex(TOOLS, { now: () => now });
    later.recall(kept);
    expect(later.search('ping the boss')[0]?.relevance ?? 0).toBeLessThan(fresh / 2);
  });
});

describe('remembered calls', () => {
  const issues = ['file a bug', 'report a crash', 'note a defect'];
  const calling = (tool: { server: string; tool: string }, needs: readonly string[], outcome?: 'abandoned') => {
    const index = createToolIndex(TOOLS);
    for (const need of needs) index.remember(tool, need, outcome);
    return index;
  };

  it('raise a tool for similar needs, and are a share of its score', () => {
    const [best] = calling({ server: 'linear', tool: 'createIssue' }, issues).search(
      'create an issue for a crash report',
    );
    expect(best && show([best])).toEqual(['linear/createIssue']);
    expect(best?.parts.use).toBeGreaterThan(0.2);
    expect(createToolIndex(TOOLS).search('create an issue for a crash report')[0]?.parts.use).toBe(0);
  });

  it('lower a tool that was abandoned', () => {
    const need = 'create an issue';
    const [first, second] = show(createToolIndex(TOOLS).search(need));
    const [server = '', tool = ''] = first?.split('/') ?? [];
    const results = calling({ server, tool }, [need], 'abandoned').search(need);
    expect(show(results).indexOf(second ?? '')).toBeLessThan(show(results).indexOf(first ?? ''));
    expect(results.find((one) => one.server === server && one.tool === tool)?.parts.use).toBeLessThan(0);
  });

  it('do not rank another tool above one that the query names', () => {
    const index = calling({ server: 'mail', tool: 'send' }, ['read_file', 'read file', 'fs read_file']);
    for (const need of ['read_file', 'fs read_file']) expect(show(index.search(need))[0]).toBe('fs/read_file');
  });

  it('do not raise a tool for other needs', () => {
    const index = calling({ server: 'github', tool: 'list_issues' }, [
      'show bugs',
      'open bugs',
      'bugs of a team',
      'all bugs',
    ]);
    expect(show(index.search('merge a pull request'))[0]).toBe('github/merge_pull_request');
    expect(show(index.search('create a new issue in a team'))[0]).toBe('linear/createIssue');
  });

  it('are replaced by recall', () => {
    const index = calling({ server: 'mail', tool: 'send' }, issues);
    index.recall([]);
    expect(index.memory()).toEqual([]);
    expect(index.search(issues[0] ?? '')).toEqual(createToolIndex(TOOLS).search(issues[0] ?? ''));
  });

  it('are shown apart from the words of the server', () => {
    const [found] = createToolIndex(TOOLS).search('github pull request');
    expect(found?.tool).toBe('merge_pull_request');
    expect(found?.parts.server).toBeGreaterThan(0.1);
    expect((found?.parts.server ?? 0) + (found?.parts.words ?? 0)).toBeCloseTo(1, 1);
  });
});

describe('hostile tools', () => {
  const honest: IndexedTool = { server: 'mail', name: 'compose', description: 'Write and send an email to somebody.' };
  const words =
    'send email mail message write compose somebody post deliver recipient inbox smtp gmail letter best top';
  it.each<{ title: string; liar: IndexedTool }>([
    { title: 'a list of keywords', liar: { server: 'x', name: 'helper', description: words } },
    {
      title: 'repeated words',
      liar: { server: 'x', name: 'helper', description: 'send email '.repeat(50) },
    },
    {
      title: 'a list after an honest first sentence',
      liar: { server: 'x', name: 'helper', description: `Plays chess. ${words.repeat(20)}` },
    },
    {
      title: 'a name that is a list',
      liar: { server: 'x', name: words.replaceAll(' ', '_'), description: 'Plays chess' },
    },
    {
      title: 'parameters that are a list',
      liar: { server: 'x', name: 'helper', description: 'Plays chess', inputSchema: schema(...words.split(' ')) },
    },
    {
      title: 'everything at once',
      liar: {
        server: 'x',
        name: 'helper',
        description: words.repeat(30),
        serverDescription: words,
        inputSchema: schema(...words.split(' ')),
      },
    },
  ])('does not rank a tool first for $title', ({ liar }) => {
    const index = createToolIndex([...TOOLS.filter(({ server }) => server !== 'mail'), liar, honest]);
    for (const need of ['send an email', 'write an email to somebody', 'compose email'])
      expect([need, show(index.search(need))[0]]).toEqual([need, 'mail/compose']);
  });

  it('indexes huge descriptions and schemas within two seconds', () => {
    const deep = (depth: number): unknown =>
      depth === 0 ? {} : { properties: { [`level${depth}`]: deep(depth - 1) }, items: deep(depth - 1) };
    const wide = schema(...Array.from({ length: 20_000 }, (_, n) => `parameter${n}`), 'zebra');
    const huge: IndexedTool[] = [deep(12), wide].map((inputSchema, n) => ({
      server: 'huge',
      name: `huge${n}`,
      description: 'send mail '.repeat(200_000),
      inputSchema,
    }));
    const started = process.cpuUsage();
    const index = createToolIndex([...TOOLS, ...huge]);
    expect(show(index.search('zebra'))).toEqual([]);
    expect(show(index.search('read a file'))[0]).toBe('fs/read_file');
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });

  it('reads only the part of a schema that it indexes', () => {
    let looks = 0;
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, {}]));
    const properties = new Proxy(wide, {
      get: (target, name) => {
        looks += 1;
        return Reflect.get(target, name);
      },
    });
    createToolIndex([{ server: 's', name: 'wide', inputSchema: { properties } }]);
    expect(looks).toBeLessThan(100);
    expect(looks).toBeGreaterThan(0);
  });

  it('accepts any tool and any query', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('__proto__', 'constructor', 'toString', 'a.b'),
    );
    const tool = fc.record(
      {
        server: text,
        name: text,
        description: text,
        inputSchema: fc.anything(),
        tags: fc.array(text),
        enabled: fc.boolean(),
      },
      { requiredKeys: ['server', 'name'] },
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(tool, { selector: ({ server, name }) => `${server}/${name}` }),
        text,
        (tools, need) => {
          const index = createToolIndex(tools);
          for (const { relevance } of index.search(need)) {
            expect(relevance).toBeGreaterThanOrEqual(0);
            expect(relevance).toBeLessThanOrEqual(1);
          }
          for (const { server, name, enabled } of tools.filter(({ name }) => /[a-z]/i.test(name)).slice(0, 3))
            if (enabled !== false && name.length < 120)
              expect(show(index.search([name], { server, limit: 100 }))).toContain(`${server}/${name}`);
        },
      ),
      { numRuns: 200 },
    );
  });
});
