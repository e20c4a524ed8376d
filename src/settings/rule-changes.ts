import { globsOverlap } from '../base/index.js';
import type { Problem } from '../model/index.js';
import type { ToolRule } from './default-settings.js';
import type { SettingsFile } from './settings-schema.js';

interface Layer {
  readonly source: string;
  readonly settings: SettingsFile;
}

/** One rule, with its label and source for messages. */
export interface PlacedRule {
  readonly rule: ToolRule;
  readonly source: string;
  /** `toolRules[0] (["*delete*"])`. */
  readonly label: string;
}

/** A file may contain tens of thousands of rules, and comparing each pair takes time. */
const MAX_COMPARED = 200;
const MAX_PATTERNS = 20;
const MAX_REPORTED = 20;
const SHOWN_CHARACTERS = 80;

/** The rules of all layers in the order in which the former "first match decides" evaluated them. */
export function placedRules(layers: readonly Layer[]): PlacedRule[] {
  return layers.toReversed().flatMap(({ source, settings }) =>
    (settings.toolRules ?? []).map((rule, at) => {
      const pattern = JSON.stringify(rule.pattern);
      const shown = pattern.length > SHOWN_CHARACTERS ? `${pattern.slice(0, SHOWN_CHARACTERS)}…` : pattern;
      return { rule, source, label: `toolRules[${at}] (${shown})` };
    }),
  );
}

/**
 * Reports rules with another effect than before, when the first matching rule decided and one enabling rule disabled
 * every other tool. A pattern that matches a server's name is reported where the servers are known.
 */
export function ruleChanges(layers: readonly Layer[]): Problem[] {
  const rules = placedRules(layers);
  const isDefaultSet = layers.some(({ settings }) => settings.toolDefault !== undefined);
  return [...(isDefaultSet ? [] : lostAllowLists(rules)), ...newlyDisabling(rules)].slice(0, MAX_REPORTED);
}

function changed(source: string, message: string, hint: string): Problem {
  return { code: 'tool-rules-changed', severity: 'warning', message, hint, source };
}

/** Formerly, an enabling rule disabled every tool without a matching rule. Now `toolDefault` decides. */
function lostAllowLists(rules: readonly PlacedRule[]): Problem[] {
  const enabling = rules.filter(({ rule }) => rule.enabled === true);
  const covered = new Set(enabling.filter(({ rule }) => matchesEverything(rule)).map(({ rule }) => rule.server));
  if (covered.has(undefined)) return [];
  const lists = enabling.filter(({ rule }) => !covered.has(rule.server));
  const servers = [...new Set(lists.map(({ rule }) => rule.server))];
  const listed = servers.flatMap((server) => (server === undefined ? [] : [`!${server}/*`]));
  const others = JSON.stringify({ pattern: listed, enabled: true });
  const more = listed.length < servers.length ? '' : ` and add the rule ${others}`;
  const hint = `to disable them as before, set "toolDefault": "disabled"${more}; to keep them enabled and end this warning, set "toolDefault": "enabled"`;
  return lists.map(({ rule: { server }, source, label }) => {
    const tools =
      server === undefined ? 'the tools that no rule matches' : `the other tools of ${JSON.stringify(server)}`;
    const message = `${label} no longer disables ${tools}: a rule with "enabled": true only enables`;
    return changed(source, message, hint);
  });
}

/** Formerly, a disabling rule had no effect on tools that an earlier rule enabled. */
function newlyDisabling(rules: readonly PlacedRule[]): Problem[] {
  const deciding = rules
    .map((placed, at) => ({ ...placed, at, compared: toCompared(placed.rule) }))
    .filter(({ rule }) => rule.enabled !== undefined);
  const enabling = deciding.filter(({ rule }) => rule.enabled === true).slice(0, MAX_COMPARED);
  const disabling = deciding.filter(({ rule }) => rule.enabled === false).slice(0, MAX_COMPARED);
  return disabling.flatMap(({ at, compared, source, label }) => {
    const earlier = enabling.find((one) => one.at < at && overlap(one.compared, compared));
    if (!earlier) return [];
    return [
      changed(
        source,
        `${label} now also disables tools that ${earlier.label} of ${earlier.source} enables: "enabled": false wins in any order`,
        `to keep these tools enabled as before, ${exclusion(earlier.rule)}`,
      ),
    ];
  });
}

function exclusion({ pattern, server }: ToolRule): string {
  const isPlain = pattern.every((one) => !/^[!/]/.test(one));
  if (pattern.includes('*') && isPlain && server === undefined) return 'remove the rule that disables them';
  if (!isPlain) return 'narrow the pattern of the rule that disables them';
  const excluding = pattern.map((one) => JSON.stringify(`!${server === undefined ? '' : `${server}/`}${one}`));
  return `add ${excluding.join(', ')} to the pattern of the rule that disables them`;
}

interface Compared {
  readonly server: string;
  readonly wanted: readonly string[];
  readonly unwanted: ReadonlySet<string>;
}

function toCompared({ pattern, server = '*' }: ToolRule): Compared {
  const lower = pattern.slice(0, MAX_PATTERNS).map((one) => one.toLowerCase());
  const wanted = lower.filter((one) => !one.startsWith('!'));
  const unwanted = lower.filter((one) => one.startsWith('!')).map((one) => one.slice(1));
  return {
    server: server.toLowerCase(),
    wanted: wanted.length === 0 ? ['*'] : wanted,
    unwanted: new Set(unwanted),
  };
}

/** Returns whether some tool name may match both rules. A regular expression may match anything. */
function overlap(a: Compared, b: Compared): boolean {
  if (!globsOverlap(a.server, b.server)) return false;
  return a.wanted.some(
    (one) =>
      !isExcluded(one, a, b) &&
      b.wanted.some((other) => !isExcluded(other, b, a) && (isExpression(one, other) || globsOverlap(one, other))),
  );
}

function isExpression(...patterns: readonly string[]): boolean {
  return patterns.some((pattern) => pattern.startsWith('/'));
}

/** Returns whether a rule excludes exactly the pattern of another rule. */
function isExcluded(pattern: string, { server }: Compared, { unwanted }: Compared): boolean {
  return ['*', pattern, `*/${pattern}`, `${server}/${pattern}`, `${server}/*`].some((form) => unwanted.has(form));
}

function matchesEverything({ pattern }: ToolRule): boolean {
  return pattern.includes('*') && !pattern.some((one) => one.startsWith('!'));
}
