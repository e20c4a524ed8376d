import type { Definition, Problem } from '../model/index.js';
import { parseServerRules, ruleJudge, type ServerRule } from '../policy/index.js';
import type { LoadedSettings } from '../settings/index.js';
import type { RuleFile } from '../sources/index.js';

/** The deny or allow rules of Portolan's settings and of clients. */
export interface ServerRuleCheck {
  readonly blockedBy: (definition: Definition) => string | undefined;
  readonly problems: readonly Problem[];
}

const NOTHING: ServerRuleCheck = { blockedBy: () => undefined, problems: [] };

/**
 * Combines all rules: any source may deny, a repository may not allow, and the managed allow list applies separately.
 */
export function collectRules(
  { settings, layers }: Pick<LoadedSettings, 'settings' | 'layers'>,
  files: readonly RuleFile[],
): ServerRuleCheck {
  const isSilent = settings.deniedMcpServers.length === 0 && !settings.allowedMcpServers && !settings.pluginOnly;
  if (isSilent && files.length === 0) return NOTHING;
  const broken = files.find(({ isBroken }) => isBroken);
  if (broken)
    return { blockedBy: () => `${broken.source} (managed by the administrator) cannot be read`, problems: [] };
  const problems: Problem[] = [];
  const listed = (file: RuleFile, key: string): readonly ServerRule[] | undefined => {
    const { rules, problems: found } = parseServerRules(fieldOf(file.value, key), file.source);
    problems.push(...found);
    return rules;
  };
  const ofOthers = files.filter(({ author }) => author === 'user').map((file) => listed(file, 'allowedMcpServers'));
  const ofAdministrators = files
    .filter(({ author }) => author === 'managed')
    // A malformed managed allow list counts as an empty one, so that it fails closed.
    .map(
      (file) =>
        listed(file, 'allowedMcpServers') ?? (fieldOf(file.value, 'allowedMcpServers') === undefined ? undefined : []),
    );
  const ours = layers.filter(({ scope }) => scope === 'managed').map((layer) => layer.settings.allowedMcpServers);
  const allowed = joined([
    ...ofOthers,
    layers.some(({ scope }) => scope !== 'managed') ? settings.allowedMcpServers : undefined,
  ]);
  const allowedManaged = joined([...ofAdministrators, ...ours]);
  const managedOnly = files.some(
    ({ author, value }) => author === 'managed' && fieldOf(value, 'allowManagedMcpServersOnly') === true,
  );
  const judge = ruleJudge({
    denied: [...settings.deniedMcpServers, ...files.flatMap((file) => listed(file, 'deniedMcpServers') ?? [])],
    ...(allowed && { allowed }),
    ...(allowedManaged && { allowedManaged }),
    allowManagedMcpServersOnly: settings.allowManagedMcpServersOnly || managedOnly,
    pluginOnly: settings.pluginOnly,
  });
  const blockedBy = (definition: Definition): string | undefined => {
    const verdict = judge(definition);
    return verdict.kind === 'blocked' ? verdict.rule : undefined;
  };
  return { blockedBy, problems };
}

function joined(lists: readonly (readonly ServerRule[] | undefined)[]): readonly ServerRule[] | undefined {
  const written = lists.filter((list) => list !== undefined);
  return written.length === 0 ? undefined : written.flat();
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
