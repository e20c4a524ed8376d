import type { Discovery } from '../discovery/index.js';
import { namesForRules } from '../discovery/index.js';
import type { Problem } from '../model/index.js';
import { rulesByServerName } from '../policy/index.js';
import { placedRules } from '../settings/index.js';

/** The number of servers to report per pattern, which may match many names. */
const MAX_REPORTED = 20;

/** Rules with a pattern that matches a server's name: older versions compared patterns with tool names only. */
export async function rulesForServers(discovery: Discovery): Promise<Problem[]> {
  const placed = placedRules(discovery.settings.layers);
  const servers = discovery.servers.map(({ name }) => name);
  const found = await rulesByServerName(
    placed.map(({ rule }) => rule),
    servers,
    namesForRules(discovery, discovery.servers),
  );
  return found.slice(0, MAX_REPORTED).flatMap(({ rule, server, pattern }): Problem[] => {
    const { label, source } = placed[rule] ?? {};
    if (label === undefined || source === undefined) return [];
    const isNegative = pattern.startsWith('!');
    const does = isNegative ? 'excludes' : 'applies to';
    return [
      {
        code: 'tool-rules-changed',
        severity: 'info',
        server,
        source,
        message: `${label} ${does} every tool of this server, because ${JSON.stringify(pattern)} matches the server's name`,
        hint: hintFor(isNegative ? pattern.slice(1) : pattern, isNegative ? '!' : ''),
      },
    ];
  });
}

function hintFor(pattern: string, mark: string): string {
  // Patterns are also matched against "server/tool", and a tool's own name has no slash.
  if (!pattern.startsWith('/')) return `to match tool names only, write ${JSON.stringify(`${mark}*/${pattern}`)}`;
  return 'to match tool names only, write an expression for "server/tool", such as "/\\/.*issue/i"';
}
