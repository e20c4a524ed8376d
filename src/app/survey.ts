import { type Definition, type Server, toAlias } from '../model/index.js';
import { fingerprint } from '../policy/index.js';

/** From what was read to what would run. One server for each definition until `scope` decides between them. */
export function survey(definitions: readonly Definition[]): Server[] {
  const taken = new Set<string>();
  return definitions.map((definition) => {
    const { name, state, transport, client, scope, source, line } = definition;
    const alias = toAlias(name, taken);
    taken.add(alias);
    return {
      name,
      alias,
      state,
      transport,
      ...launchOf(definition),
      source,
      origins: [{ client, scope, source, line }],
      shadowed: [],
      fingerprint: fingerprint(definition),
    };
  });
}

function launchOf({ command, args, env, cwd, url, headers }: Definition) {
  return {
    ...(command !== undefined && { command }),
    ...(args && { args }),
    ...(env && { env }),
    ...(cwd !== undefined && { cwd }),
    ...(url !== undefined && { url }),
    ...(headers && { headers }),
  };
}
