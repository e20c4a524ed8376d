import { describe, expect, it } from 'vitest';
import { ErrorCode, PortolanError } from '../base/index.js';
import type { ToolRule } from '../settings/index.js';
import { compileToolRules, MAX_TOOL_NAME_CHARACTERS, type ToolDefault } from './tool-rules.js';

const TOOLS = [
  'github/create_issue',
  'github/delete_issue',
  'github/list_repos',
  'linear/create_issue',
  'linear/Search',
] as const;

/** All enabled tools, with their tags after a colon. */
async function on(rules: readonly ToolRule[], toolDefault?: ToolDefault): Promise<string[]> {
  const judge = await compileToolRules(rules, { ...(toolDefault && { toolDefault }) });
  return TOOLS.flatMap((path) => {
    const [server = '', tool = ''] = path.split('/');
    const { enabled, tags } = judge(server, tool);
    return enabled ? [tags.length === 0 ? path : `${path}:${tags.join()}`] : [];
  });
}

const hide = (...pattern: string[]): ToolRule => ({ pattern, enabled: false });
const show = (...pattern: string[]): ToolRule => ({ pattern, enabled: true });
const [CREATE, DELETE, REPOS, LINEAR, SEARCH] = TOOLS;

describe('compileToolRules', () => {
  it.each<{
    title: string;
    rules: readonly ToolRule[];
    toolDefault?: ToolDefault;
    on: readonly string[];
  }>([
    { title: 'no rule', rules: [], on: TOOLS },
    { title: 'one disabled by its whole name', rules: [hide('list_repos')], on: [CREATE, DELETE, LINEAR, SEARCH] },
    { title: 'a part of a name, which does not match', rules: [hide('issue')], on: TOOLS },
    { title: 'a glob', rules: [hide('*issue*')], on: [REPOS, SEARCH] },
    { title: 'a glob in another case', rules: [hide('SEARCH', 'List_*')], on: [CREATE, DELETE, LINEAR] },
    { title: 'an expression, anywhere in the name', rules: [hide('/issue/')], on: [REPOS, SEARCH] },
    { title: 'an expression with anchors', rules: [hide('/^delete_/')], on: [CREATE, REPOS, LINEAR, SEARCH] },
    { title: 'a case-sensitive expression', rules: [hide('/search/')], on: TOOLS },
    { title: 'a case-insensitive expression', rules: [hide('/search/i')], on: [CREATE, DELETE, REPOS, LINEAR] },
    { title: 'an expression with a slash in it', rules: [hide('/a/b|Search/')], on: [CREATE, DELETE, REPOS, LINEAR] },
    { title: 'flags without effect', rules: [hide('/search/giu')], on: [CREATE, DELETE, REPOS, LINEAR] },
    { title: 'a negation', rules: [hide('*issue*', '!*delete*')], on: [DELETE, REPOS, SEARCH] },
    { title: 'a negation written first', rules: [hide('!*delete*', '*issue*')], on: [DELETE, REPOS, SEARCH] },
    { title: 'a negated expression', rules: [hide('*', '!/ISSUE/i')], on: [CREATE, DELETE, LINEAR] },
    { title: 'only negations', rules: [hide('!*delete*', '!search')], on: [DELETE, SEARCH] },
    { title: 'a double negation, of which the second is a literal character', rules: [hide('!!search')], on: [] },
    { title: 'all three kinds', rules: [hide('*github*', '/issue/i', '!*delete*')], on: [DELETE, SEARCH] },
    { title: 'a server', rules: [{ ...hide('create_issue'), server: 'linear' }], on: [CREATE, DELETE, REPOS, SEARCH] },
    {
      title: 'a glob for servers',
      rules: [{ ...hide('create_issue'), server: 'GIT*' }],
      on: [DELETE, REPOS, LINEAR, SEARCH],
    },
    { title: 'an enabling rule alone', rules: [show('create_issue')], on: TOOLS },
    { title: 'no rule and the default "disabled"', rules: [], toolDefault: 'disabled', on: [] },
    { title: 'an allow-list', rules: [show('create_issue')], toolDefault: 'disabled', on: [CREATE, LINEAR] },
    {
      title: 'an allow-list with a server',
      rules: [{ ...show('create_issue'), server: 'github' }],
      toolDefault: 'disabled',
      on: [CREATE],
    },
    {
      title: 'two enabling rules of an allow-list',
      rules: [show('search'), show('list_*')],
      toolDefault: 'disabled',
      on: [REPOS, SEARCH],
    },
    {
      title: 'a disabling rule after an enabling one',
      rules: [show('*'), hide('*delete*')],
      on: [CREATE, REPOS, LINEAR, SEARCH],
    },
    {
      title: 'a disabling rule before an enabling one',
      rules: [hide('*delete*'), show('*')],
      on: [CREATE, REPOS, LINEAR, SEARCH],
    },
    {
      title: 'a disabling rule in an allow-list',
      rules: [show('*_issue'), hide('delete_*')],
      toolDefault: 'disabled',
      on: [CREATE, LINEAR],
    },
    { title: 'the name of a server', rules: [hide('linear')], on: [CREATE, DELETE, REPOS] },
    { title: 'a glob that matches the name of a server', rules: [hide('*git*')], on: [LINEAR, SEARCH] },
    { title: 'an expression for the name of a server', rules: [hide('/^lin/')], on: [CREATE, DELETE, REPOS] },
    { title: 'a server and a tool', rules: [hide('github/create_issue')], on: [DELETE, REPOS, LINEAR, SEARCH] },
    { title: 'names of tools only', rules: [hide('*/*issue*')], on: [REPOS, SEARCH] },
    { title: 'a negation that excludes a server', rules: [hide('*', '!linear')], on: [LINEAR, SEARCH] },
    {
      title: 'a negation that excludes one tool of a server',
      rules: [hide('*issue', '!linear/*')],
      on: [REPOS, LINEAR, SEARCH],
    },
    {
      title: 'the documented example',
      rules: [{ ...show('*github*'), tags: ['github'] }],
      on: [`${CREATE}:github`, `${DELETE}:github`, `${REPOS}:github`, LINEAR, SEARCH],
    },
    {
      title: 'a rule that only tags',
      rules: [{ pattern: ['*delete*'], tags: ['danger'] }],
      on: [CREATE, `${DELETE}:danger`, REPOS, LINEAR, SEARCH],
    },
    {
      title: 'tags of all matching rules, each once',
      rules: [
        { pattern: ['*issue'], tags: ['issue', 'write'] },
        { ...show('*issue', 'search'), tags: ['write', 'on'] },
        { pattern: ['search'], server: 'linear', tags: ['read'] },
      ],
      on: [
        `${CREATE}:issue,write,on`,
        `${DELETE}:issue,write,on`,
        REPOS,
        `${LINEAR}:issue,write,on`,
        `${SEARCH}:write,on,read`,
      ],
    },
    { title: 'a rule without effect', rules: [{ pattern: ['*'] }], on: TOOLS },
  ])('enables $on for $title', async ({ rules, toolDefault, on: expected }) => {
    expect(await on(rules, toolDefault)).toEqual(expected);
  });

  it('returns the deciding rule, or none if the default decided', async () => {
    const judge = await compileToolRules([
      { pattern: ['*'], tags: ['all'] },
      { ...show('a', 'b'), server: 's' },
      { ...hide('b'), server: 's' },
    ]);
    expect([judge('s', 'a'), judge('s', 'b'), judge('s', 'c'), judge('t', 'b')]).toEqual([
      { enabled: true, tags: ['all'], rule: 1 },
      { enabled: false, tags: ['all'], rule: 2 },
      { enabled: true, tags: ['all'] },
      { enabled: true, tags: ['all'] },
    ]);
  });

  it('matches each name of a server', async () => {
    const namesOf = (server: string) => (server === 'a' ? ['a', 'other'] : [server]);
    const judge = await compileToolRules([hide('other/t'), hide('!a', '!b', '!c')], { namesOf });
    expect(['a/t', 'a/u', 'b/t', 'd/t'].map((path) => judge(path.slice(0, 1), path.slice(2)).enabled)).toEqual([
      ...[false, true, true, false],
    ]);
  });

  it('keeps the tags of a disabled tool', async () => {
    const judge = await compileToolRules([{ pattern: ['a'], enabled: false, tags: ['x'] }]);
    expect(judge('s', 'a')).toEqual({ enabled: false, tags: ['x'], rule: 0 });
  });

  it('disables a tool if a name of its server is too long to be judged', async () => {
    const long = 'a'.repeat(MAX_TOOL_NAME_CHARACTERS + 1);
    const judge = await compileToolRules([show('*')], { namesOf: (server) => [server, server === 's' ? long : 'x'] });
    expect([judge(long, 'a'), judge('s', 'a'), judge('t', 'a')].map(({ enabled }) => enabled)).toEqual([
      ...[false, false, true],
    ]);
  });

  it('disables a tool with a name that is too long to be judged', async () => {
    const judge = await compileToolRules([{ pattern: ['x'], tags: ['x'] }]);
    const names = [MAX_TOOL_NAME_CHARACTERS, MAX_TOOL_NAME_CHARACTERS + 1].map((length) => 'a'.repeat(length));
    expect(names.map((name) => judge('s', name).enabled)).toEqual([true, false]);
  });

  it.each([
    { pattern: '', reason: 'empty' },
    { pattern: '!', reason: 'empty' },
    { pattern: '//', reason: 'empty' },
    { pattern: '/', reason: 'no / at its end' },
    { pattern: '/abc', reason: 'no / at its end' },
    { pattern: '/(/', reason: 'missing closing )' },
    { pattern: '!/[/i', reason: 'missing closing ]' },
    { pattern: '/a/x', reason: 'no flag "x"' },
    { pattern: '/a/constructor', reason: 'no flag "c"' },
    { pattern: '/(?=a)b/', reason: 'unsupported' },
    { pattern: '/(a)\\1/', reason: 'invalid escape' },
    { pattern: '/(a{30}){33}(b{30}){33}/', reason: 'its repetitions are too large' },
    { pattern: `/${'a'.repeat(1_001)}/`, reason: 'too long' },
  ])('rejects $pattern: $reason', async ({ pattern, reason }) => {
    const error = await compileToolRules([hide('ok', pattern)]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PortolanError);
    expect(error).toMatchObject({ code: ErrorCode.InvalidPattern, message: expect.stringContaining(reason) });
    expect(error).toMatchObject({
      message: expect.stringContaining(JSON.stringify(pattern.slice(0, 80)).slice(0, -1)),
    });
  });

  it('rejects a rule without a pattern', async () => {
    await expect(compileToolRules([hide()])).rejects.toMatchObject({ code: ErrorCode.InvalidPattern });
  });
});
