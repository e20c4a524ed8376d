import { describe, expect, it } from 'vitest';
import type { ToolRule } from './default-settings.js';
import { ruleChanges } from './rule-changes.js';

const on = (...pattern: string[]): ToolRule => ({ pattern, enabled: true });
const off = (...pattern: string[]): ToolRule => ({ pattern, enabled: false });
const changes = (rules: readonly ToolRule[], more: object = {}) =>
  ruleChanges([{ source: '/f', settings: { toolRules: rules, ...more } }]);

describe('ruleChanges', () => {
  it.each<{ title: string; rules: readonly ToolRule[]; more?: object }>([
    { title: 'only rules that disable', rules: [off('a'), off('b*')] },
    { title: 'rules that only tag', rules: [{ pattern: ['*'], tags: ['t'] }] },
    { title: 'an enabling rule that matches everything', rules: [on('*')] },
    { title: 'an allow-list with its default', rules: [on('a')], more: { toolDefault: 'disabled' } },
    { title: 'the new behaviour with its default', rules: [on('a')], more: { toolDefault: 'enabled' } },
    { title: 'a disabling rule before an enabling one', rules: [off('*delete*'), on('*')] },
    {
      title: 'two rules without a common tool',
      rules: [on('get_*'), off('delete_*')],
      more: { toolDefault: 'enabled' },
    },
    {
      title: 'two rules for different servers',
      rules: [
        { ...on('*'), server: 'a' },
        { ...off('*'), server: 'b' },
      ],
    },
    {
      title: 'an exclusion in the rule that disables',
      rules: [on('create'), off('*', '!create')],
      more: { toolDefault: 'enabled' },
    },
    {
      title: 'an exclusion for a server in the rule that disables',
      rules: [{ ...on('create'), server: 's' }, off('*', '!s/create')],
      more: { toolDefault: 'enabled' },
    },
    {
      title: 'an exclusion in the rule that enables',
      rules: [on('*', '!*delete*'), off('*delete*')],
      more: { toolDefault: 'enabled' },
    },
  ])('reports nothing for $title', ({ rules, more }) => {
    expect(changes(rules, more)).toEqual([]);
  });

  it('reports an allow-list without toolDefault, and how to keep it', () => {
    expect(changes([on('create')])).toEqual([
      {
        code: 'tool-rules-changed',
        severity: 'warning',
        source: '/f',
        message:
          'toolRules[0] (["create"]) no longer disables the tools that no rule matches: a rule with "enabled": true only enables',
        hint: 'to disable them as before, set "toolDefault": "disabled"; to keep them enabled and end this warning, set "toolDefault": "enabled"',
      },
    ]);
  });

  it('reports an allow-list for one server with the rule that leaves the others enabled', () => {
    expect(changes([{ ...on('create'), server: 'github' }])).toMatchObject([
      {
        message: expect.stringContaining('no longer disables the other tools of "github"'),
        hint: expect.stringContaining('add the rule {"pattern":["!github/*"],"enabled":true}'),
      },
    ]);
  });

  it.each([
    { rules: [on('*'), off('*delete*')], hint: 'remove the rule that disables them' },
    { rules: [on('delete_draft'), off('*delete*')], hint: 'add "!delete_draft" to the pattern' },
    { rules: [{ ...on('delete*'), server: 's' }, off('*')], hint: 'add "!s/delete*" to the pattern' },
    { rules: [on('/^get/'), off('b')], hint: 'narrow the pattern' },
    { rules: [on('*', '!x'), off('y')], hint: 'narrow the pattern' },
  ])('reports that the second of $rules now counts: $hint', ({ rules, hint }) => {
    expect(changes(rules, { toolDefault: 'enabled' })).toMatchObject([
      {
        source: '/f',
        message: expect.stringMatching(
          /^toolRules\[1\] .* now also disables tools that toolRules\[0\] .* of \/f enables/,
        ),
        hint: expect.stringContaining(hint),
      },
    ]);
  });

  it('compares the rules of several files in evaluation order', () => {
    const user = { source: '/user', settings: { toolDefault: 'enabled' as const, toolRules: [off('a')] } };
    const managed = { source: '/managed', settings: { toolRules: [on('a')] } };
    expect(ruleChanges([user, managed])).toMatchObject([{ source: '/user' }]);
    expect(ruleChanges([managed, user])).toEqual([]);
  });

  it('has bounded time for any number of rules', () => {
    const rules = Array.from({ length: 20_000 }, (_, n) => (n % 2 === 0 ? on(`*a${n}*`) : off(`b${n}*c`)));
    const started = performance.now();
    expect(changes(rules, { toolDefault: 'enabled' })).toHaveLength(20);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
