import type { ToolDefault } from '../../src/policy/index.js';
import type { ToolRule } from '../../src/settings/index.js';

/** How a rule with `enabled` set, or without, applies to one tool. */
interface Matching {
  readonly enabled: boolean | undefined;
}

/** The decision table for tool rules. Every document repeats its sentences, and the first row that applies decides. */
const DECISIONS: readonly {
  readonly sentence: string;
  readonly applies: (matching: readonly Matching[]) => boolean;
  readonly result: (toolDefault: ToolDefault) => boolean;
}[] = [
  {
    sentence: 'Any matching rule with "enabled": false disables the tool.',
    applies: (matching) => matching.some(({ enabled }) => enabled === false),
    result: () => false,
  },
  {
    sentence: 'Otherwise any matching rule with "enabled": true enables it.',
    applies: (matching) => matching.some(({ enabled }) => enabled === true),
    result: () => true,
  },
  {
    sentence: 'Otherwise "toolDefault" decides, which is "enabled" if it is not set.',
    applies: () => true,
    result: (toolDefault) => toolDefault === 'enabled',
  },
];

const TAGS = 'Tags are the union of all matching rules.';

const PATTERNS = [
  'A pattern is matched against the tool name, server/tool and the server name.',
  'A pattern with ! excludes if any of the three matches.',
] as const;

/** The sentences that the help, the settings reference, the guide and the JSON schema must contain. */
export const SENTENCES: readonly string[] = [...DECISIONS.map(({ sentence }) => sentence), TAGS, ...PATTERNS];

/** The three texts of one tool. */
function subjectsOf(server: string, tool: string): readonly string[] {
  return [tool, `${server}/${tool}`, server];
}

/** An independent implementation of the table, for literal patterns and patterns that end with `*`. */
export function oracle(
  rules: readonly ToolRule[],
  toolDefault: ToolDefault,
  server: string,
  tool: string,
): { readonly enabled: boolean; readonly tags: readonly string[] } {
  const fits = (pattern: string, text: string) =>
    pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
  const fitsAny = (pattern: string) => subjectsOf(server, tool).some((text) => fits(pattern, text));
  const matching = rules.filter((rule) => {
    if (rule.server !== undefined && !fits(rule.server, server)) return false;
    const excluding = rule.pattern.filter((one) => one.startsWith('!')).map((one) => one.slice(1));
    const including = rule.pattern.filter((one) => !one.startsWith('!'));
    return !excluding.some(fitsAny) && (including.length === 0 || including.some(fitsAny));
  });
  const row = DECISIONS.find(({ applies }) => applies(matching.map(({ enabled }) => ({ enabled }))));
  return {
    enabled: row?.result(toolDefault) === true,
    tags: [...new Set(matching.flatMap(({ tags = [] }) => tags))],
  };
}
