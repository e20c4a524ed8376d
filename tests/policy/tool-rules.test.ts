import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../src/cli/runtime/help-topics.js';
import { compileToolRules, type ToolDefault } from '../../src/policy/index.js';
import type { ToolRule } from '../../src/settings/index.js';
import { inspectSettings, type Settings, settingsJsonSchema } from '../../src/settings/index.js';
import { ruleChanges } from '../../src/settings/rule-changes.js';
import { memoryFiles } from '../fakes/memory-files.js';
import { oracle, SENTENCES } from '../support/tool-rule-table.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const page = (path: string) => readFileSync(join(root, path), 'utf8');

const SERVERS = ['github', 'git', 'linear'] as const;
const TOOLS = ['create', 'delete_all', 'github', 'git'] as const;
const PATTERNS = [...SERVERS, ...TOOLS, '*', 'git*', 'delete*', 'github/*', 'linear/git', 'l*', 'github/d*'] as const;

const pattern = fc.oneof(
  fc.constantFrom(...PATTERNS),
  fc.constantFrom(...PATTERNS).map((text) => `!${text}`),
);
const rule: fc.Arbitrary<ToolRule> = fc.record(
  {
    pattern: fc.array(pattern, { minLength: 1, maxLength: 3 }),
    server: fc.constantFrom('github', 'git*', 'linear', '*'),
    enabled: fc.boolean(),
    tags: fc.subarray(['a', 'b', 'c']),
  },
  { requiredKeys: ['pattern'] },
);
const rules = fc.array(rule, { maxLength: 5 });
const toolDefault = fc.constantFrom<ToolDefault>('enabled', 'disabled');

describe('the decision table for tool rules', async () => {
  it('gives the same result as the code for random rules', async () => {
    await fc.assert(
      fc.asyncProperty(rules, toolDefault, async (given, standard) => {
        const judge = await compileToolRules(given, { toolDefault: standard });
        for (const server of SERVERS)
          for (const tool of TOOLS) {
            const { enabled, tags } = judge(server, tool);
            expect({ enabled, tags }).toEqual(oracle(given, standard, server, tool));
          }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    { place: 'portolan help policy', text: TOPICS.find(({ name }) => name === 'policy')?.text ?? '' },
    { place: 'the reference of the settings', text: page('docs/reference/settings.md') },
    { place: 'the guide for daily use', text: page('docs/guides/daily-use.md') },
    { place: 'the JSON schema', text: JSON.stringify(await settingsJsonSchema()).replaceAll('\\"', '"') },
  ])('is documented in $place', ({ text }) => {
    const plain = text.replaceAll('`', '').replaceAll(/\s+/g, ' ');
    expect(SENTENCES.filter((sentence) => !plain.includes(sentence))).toEqual([]);
  });
});

/** The former meaning: the first matching rule decided, and an enabling rule disabled the tools that no rule matched. */
function oldEnabled(given: readonly ToolRule[], server: string, tool: string): boolean {
  const here = given.filter((one) => one.server === undefined || one.server === server);
  const first = here.find(
    (one) =>
      one.enabled !== undefined && oracle([{ pattern: one.pattern, tags: ['t'] }], 'enabled', '', tool).tags.length > 0,
  );
  return first ? first.enabled === true : !here.some((one) => one.enabled === true);
}

describe('the report of changed rules', () => {
  const names = fc.constantFrom('a', 'ab', 'a*', 'b', 'b*', '*', '!a', '!a*', '!b', '!*');
  const old = fc.array(
    fc.record(
      {
        pattern: fc.array(names, { minLength: 1, maxLength: 3 }),
        server: fc.constantFrom('x', 'y'),
        enabled: fc.boolean(),
      },
      { requiredKeys: ['pattern'] },
    ),
    { maxLength: 4 },
  );

  it('is not empty if any tool changed from enabled to disabled or back', async () => {
    await fc.assert(
      fc.asyncProperty(old, async (given) => {
        const judge = await compileToolRules(given);
        const differ = ['x', 'y', 'z'].some((server) =>
          ['a', 'ab', 'b', 'c'].some((tool) => judge(server, tool).enabled !== oldEnabled(given, server, tool)),
        );
        if (differ) expect(ruleChanges([{ source: '/f', settings: { toolRules: given } }])).not.toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });
});

const USER = '/h/.config/portolan/portolan.config.json';
const PROJECT = '/p/portolan.config.json';
const MANAGED = '/etc/portolan/managed-settings.json';

const layer = fc.record({ toolRules: rules, toolDefault }, { requiredKeys: [] });

async function enabledBy(texts: Readonly<Record<string, object>>, isApproved = false): Promise<Set<string>> {
  const files = memoryFiles(
    Object.fromEntries(Object.entries(texts).map(([path, one]) => [path, JSON.stringify(one)])),
  );
  const host = { platform: 'linux' as const, home: '/h', cwd: '/p', env: {}, root: '', files };
  const { settings } = await inspectSettings({ ...host, isApproved: () => isApproved });
  return enabledTools(settings);
}

async function enabledTools({ toolRules, toolDefault: standard }: Settings): Promise<Set<string>> {
  const judge = await compileToolRules(toolRules, { toolDefault: standard });
  const paths = SERVERS.flatMap((server) => TOOLS.map((tool) => ({ server, tool })));
  return new Set(
    paths.filter(({ server, tool }) => judge(server, tool).enabled).map((path) => Object.values(path).join()),
  );
}

describe('rules of several files', () => {
  it('enable no tool through a project without approval', async () => {
    await fc.assert(
      fc.asyncProperty(layer, layer, async (user, project) => {
        const without = await enabledBy({ [USER]: user });
        const all = await enabledBy({ [USER]: user, [PROJECT]: project });
        expect([...all].filter((path) => !without.has(path))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('enable no tool beyond managed settings, also in an approved project', async () => {
    await fc.assert(
      fc.asyncProperty(layer, layer, layer, async (managed, user, project) => {
        const alone = await enabledBy({ [MANAGED]: managed });
        const all = await enabledBy({ [MANAGED]: managed, [USER]: user, [PROJECT]: project }, true);
        expect([...all].filter((path) => !alone.has(path))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
