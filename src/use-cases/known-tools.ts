import { ErrorCode, PortolanError, shellWord, silentLog } from '../base/index.js';
import { Catalog, diskStore } from '../catalog/index.js';
import type { Discovery } from '../discovery/index.js';
import { namesForRules, ownFolders } from '../discovery/index.js';
import { type ToolView, viewTools } from '../gateway/index.js';
import type { Problem } from '../model/index.js';
import { admittedServers, compileToolRules } from '../policy/index.js';

/** A tool that is new or changed since it was first seen or approved. */
export interface ToolChange {
  readonly tool: string;
  readonly change: 'changed' | 'new';
  /** The parts of the definition that a model would see. */
  readonly shown: string;
  /** The hash of the shown definition, so that a newer one is not approved with it. */
  readonly hash: string;
}

/** The catalog on disk; no server is started. */
export function knownCatalog(discovery: Discovery): Catalog {
  const catalog = new Catalog({
    store: diskStore(ownFolders(discovery.host), silentLog),
    connected: () =>
      Promise.reject(new PortolanError(ErrorCode.ConnectionError, 'the stored catalog starts no servers')),
    ttlMs: () => Number.POSITIVE_INFINITY,
    listMs: () => 0,
    changed: () => undefined,
    log: silentLog,
  });
  catalog.use(admittedServers(discovery.servers));
  return catalog;
}

/** Reports the number of known tools per server that no rule enables or that their entry leaves out. */
export async function hiddenTools(discovery: Discovery): Promise<Problem[]> {
  const { toolRules, toolDefault, pins } = discovery.settings.settings;
  const namesOf = namesForRules(discovery, discovery.servers);
  const judge = await compileToolRules(toolRules, { toolDefault, namesOf });
  return knownCatalog(discovery)
    .entries()
    .flatMap((entry) => {
      const views = [...viewTools(entry, judge, pins).values()];
      const count = (because: ToolView['because']) => views.filter((view) => view.because === because).length;
      const [listed, inEntry] = [count('default'), count('entry')];
      const { name, definition } = entry.server;
      return [
        ...(listed > 0 ? [hidden(name, listed, views.length, 'toolDefault "disabled"', 'portolan config show')] : []),
        ...(inEntry > 0 && definition.tools?.allow
          ? [hidden(name, inEntry, views.length, 'the allow-list of its entry', `portolan why ${shellWord(name)}`)]
          : []),
      ];
    });
}

function hidden(server: string, count: number, total: number, by: string, command: string): Problem {
  return {
    code: 'tools-hidden',
    severity: 'info',
    server,
    message: `${by} hides ${count} of ${total} tools`,
    hint: `show the reason with \`${command}\`, and the tools with \`portolan tools ${shellWord(server)} --all\``,
  };
}

/** The tools of a server that wait for a decision. */
export function changedTools(discovery: Discovery, server: string): ToolChange[] {
  const tools = knownCatalog(discovery).entry(server)?.tools ?? [];
  return tools.flatMap(({ tool, pin, hash }) => {
    if (pin === 'same') return [];
    const { name, title, description, inputSchema, outputSchema, annotations } = tool;
    const rest = JSON.stringify({ inputSchema, outputSchema, annotations }, null, 2);
    return [{ tool: name, change: pin, shown: [title, description, rest].filter(Boolean).join('\n'), hash }];
  });
}

/** Approves these tools as they were shown. */
export async function approveTools(discovery: Discovery, server: string, seen: readonly ToolChange[]): Promise<void> {
  const pins = Object.fromEntries(seen.map(({ tool, hash }) => [tool, hash]));
  await knownCatalog(discovery).approveTools(server, pins);
}
