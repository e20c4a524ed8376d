import { ErrorCode, nearest, PortolanError, shellWord, type TextFault } from '../base/index.js';
import type { CatalogEntry, CatalogTool, PinVerdict } from '../catalog/index.js';
import type { ToolJudge } from '../policy/index.js';

/** A tool, whether it may be called, and why not. */
export interface ToolView {
  readonly listed: CatalogTool;
  readonly enabled: boolean;
  readonly tags: readonly string[];
  /** Why it is disabled; `default` means that no rule enables it. */
  readonly because?: 'rule' | 'default' | 'entry' | 'changed' | 'new';
}

type Views = ReadonlyMap<string, ToolView>;

/** Views are cached per entry and judge, which are replaced whole, so that a call does not judge all tools again. */
const known = new WeakMap<CatalogEntry, { readonly judge: ToolJudge; readonly pins: string; readonly views: Views }>();

/** The tools of a server by name, judged by the rules, the server's own entry and the pins. */
export function viewTools(entry: CatalogEntry, judge: ToolJudge, pins: 'mark' | 'enforce'): Views {
  const held = known.get(entry);
  if (held?.judge === judge && held.pins === pins) return held.views;
  const views = new Map(judged(entry, judge, pins).map((view) => [view.listed.tool.name, view]));
  known.set(entry, { judge, pins, views });
  return views;
}

function judged(entry: CatalogEntry, judge: ToolJudge, pins: 'mark' | 'enforce'): ToolView[] {
  const { name, definition } = entry.server;
  const allow = definition.tools?.allow && new Set(definition.tools.allow);
  const deny = new Set(definition.tools?.deny);
  return (entry.tools ?? []).map((listed) => {
    const { tool } = listed;
    const verdict = judge(name, tool.name);
    const because = whyOff(verdict, (allow && !allow.has(tool.name)) || deny.has(tool.name), listed.pin, pins);
    return { listed, enabled: because === undefined, tags: verdict.tags, ...(because && { because }) };
  });
}

function whyOff(
  { enabled, rule }: ReturnType<ToolJudge>,
  isOffInEntry: boolean,
  pin: PinVerdict,
  pins: 'mark' | 'enforce',
): ToolView['because'] {
  if (!enabled) return rule === undefined ? 'default' : 'rule';
  if (isOffInEntry) return 'entry';
  return pins === 'enforce' && pin !== 'same' ? pin : undefined;
}

/** Whether the tool waits for approval; its description is withheld until then. */
export function isHeld({ because }: ToolView): boolean {
  return because === 'changed' || because === 'new';
}

/** Warnings that a model should see before it trusts a tool's description; empty for almost all tools. */
export function marksOf({ pin, faults }: CatalogTool): { change?: 'changed' | 'new'; hidden?: readonly TextFault[] } {
  return { ...(pin !== 'same' && { change: pin }), ...(faults.length > 0 && { hidden: faults }) };
}

export function toolNotFound(server: string, wanted: string, views: Views): PortolanError {
  const names = [...views.values()].filter(({ enabled }) => enabled).map(({ listed }) => listed.tool.name);
  const near = nearest(wanted, names);
  return new PortolanError(
    ErrorCode.ToolNotFound,
    `${server} has no tool named ${JSON.stringify(wanted.slice(0, 100))}`,
    { hint: near.length > 0 ? `did you mean ${near.join(', ')}?` : `list_tools shows the tools of ${server}` },
  );
}

/** The error of calling a disabled tool; undefined if it is enabled. */
export function disabledError(server: string, { listed, enabled, because }: ToolView): PortolanError | undefined {
  if (enabled) return undefined;
  const { name } = listed.tool;
  const [why, hint] = whyAndHint(server, because);
  return new PortolanError(ErrorCode.ToolDisabled, `the tool ${name} of ${server} is disabled: ${why}`, { hint });
}

/** The place that disables the tool decides the hint, so that the user looks in the right file. */
function whyAndHint(server: string, because: ToolView['because']): readonly [why: string, hint: string] {
  const name = shellWord(server);
  switch (because) {
    case 'changed':
      return ['its definition changed since it was approved', `ask the user to review it: portolan approve ${name}`];
    case 'new':
      return [
        `it was added after the tools of ${server} were approved`,
        `ask the user to review it: portolan approve ${name}`,
      ];
    case 'entry':
      return ["the server's configuration entry disables it", `the user can see its lists with: portolan why ${name}`];
    case 'default':
      return [
        'no rule enables it and toolDefault is "disabled"',
        'the user can see the rules with: portolan config show',
      ];
    default:
      return ['a rule in the settings disables it', 'the user can see the rule with: portolan config show'];
  }
}
