import type { ToolRule } from '../settings/index.js';
import { compilePatterns, compileServerPattern, nameSubject } from './tool-rules.js';

/** A pattern that matches a server's name, and therefore all tools of that server. */
export interface ServerNameMatch {
  readonly rule: number;
  readonly server: string;
  /** As written, including the `!` of an excluding pattern. */
  readonly pattern: string;
}

/** The first pattern of each rule that matches each server's name; patterns that match everything are omitted. */
export async function rulesByServerName(
  rules: readonly ToolRule[],
  servers: readonly string[],
  namesOf: (server: string) => readonly string[],
): Promise<readonly ServerNameMatch[]> {
  const named = servers.map((server) => ({ server, subjects: namesOf(server).map(nameSubject) }));
  const found = await Promise.all(
    rules.map(async (rule, at): Promise<ServerNameMatch[]> => {
      const isFor = compileServerPattern(rule.server);
      const patterns = (await compilePatterns(rule.pattern)).filter(({ matches }) => !matches(nameSubject('')));
      return named.flatMap(({ server, subjects }) => {
        const first = subjects.some(isFor) ? patterns.find(({ matches }) => subjects.some(matches)) : undefined;
        return first ? [{ rule: at, server, pattern: first.pattern }] : [];
      });
    }),
  );
  return found.flat();
}
