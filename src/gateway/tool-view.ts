import { ErrorCode, nearest, PortolanError, shellWord, type TextFault } from '../base/index.js';
import type { CatalogEntry, CatalogTool, PinVerdict } from '../catalog/index.js';
import type { ToolJudge } from '../policy/index.js';

/** A tool with everything that decides whether it may be called. */
export interface ToolView {
  readonly listed: CatalogTool;
  readonly enabled: boolean;
  readonly tags: readonly string[];
  /** Why it is disabled; `default` means that no rule enables it. */
  readonly because?: 'rule' | 'default' | 'entry' | 'changed' | 'new';
}

type Views = ReadonlyMap<string, ToolView>;

/** A call asks for one tool and must not judge all of them again: entries and judges are replaced whole, so this holds while they do. */
const known = new WeakMap<CatalogEntry, { readonly judge: ToolJudge; readonly pins: string; readonly views: Views }>();

/** What the rules, the server's own entry and the pins say of its tools, by their names. */
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

/** A person has to look at it first: until then nobody is told what it says of itself. */
export function isHeld({ because }: ToolView): boolean {
  return because === 'changed' || because === 'new';
}

/** What a model should know before it trusts a tool's words; nothing for almost all. */
export function marksOf({ pin, faults }: CatalogTool): { change?: 'changed' | 'new'; hidden?: readonly TextFault[] } {
  return { ...(pin !== 'same' && { change: pin }), ...(faults.length > 0 && { hidden: faults }) };
}

export function toolNotFound(server: string, wanted: string, views: Views): PortolanError {
  const names = [...views.values()].filter(({ enabled }) => enabled).map(({ listed }) => listed.tool.name);
  const near = nearest(wanted, names);
  return new PortolanError(
    ErrorCode.ToolNotFound,
    `${server} has no tool called ${JSON.stringify(wanted.slice(0, 100))}`,
    { hint: near.length > 0 ? `did you mean ${near.join(', ')}?` : `list_tools shows what ${server} has` },
  );
}

/** Why a tool may not be called; undefined if it may. */
export function disabledError(server: string, { listed, enabled, because }: ToolView): PortolanError | undefined {
  if (enabled) return undefined;
  const { name } = listed.tool;
  const [why, hint] = whyAndHint(server, because);
  return new PortolanError(ErrorCode.ToolDisabled, `${name} of ${server} may not be called: ${why}`, { hint });
}

/** Each is switched off somewhere else, and whoever is sent to the wrong place finds nothing there. */
function whyAndHint(server: string, because: ToolView['because']): readonly [why: string, hint: string] {
  const name = shellWord(server);
  switch (because) {
    case 'changed':
      return ['its definition changed since it was approved', `ask the user to look at it: portolan approve ${name}`];
    case 'new':
      return [
        `it is new since the tools of ${server} were approved`,
        `ask the user to look at it: portolan approve ${name}`,
      ];
    case 'entry':
      return ["it is switched off in the server's own entry", `the user can see its lists with: portolan why ${name}`];
    case 'default':
      return [
        'no rule enables it and toolDefault is "disabled"',
        'the user can see the rules with: portolan config show',
      ];
    default:
      return ['it is switched off by the settings', 'the user can see the rule with: portolan config show'];
  }
}
