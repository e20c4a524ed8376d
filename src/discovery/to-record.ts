import type { Mutable } from '../base/index.js';
import type { Definition, Origin, ServerRecord } from '../model/index.js';
import { fingerprint, type Server, stateOf } from '../policy/index.js';

/** The server as it is printed and returned. */
export function toRecord(server: Server): ServerRecord {
  const { name, alias, definition, duplicates, shadowed, runningInstance, verdict } = server;
  const record: Mutable<ServerRecord> = {
    name,
    alias,
    state: stateOf(verdict),
    transport: definition.transport,
    source: definition.source,
    origins: usedOf(duplicates).map(originOf),
    shadowed: usedOf(shadowed).map(originOf),
    // Computed on first use, because hashing loads a module that most callers do not need.
    get fingerprint() {
      return fingerprint(definition);
    },
  };
  const { command, args, env, cwd, url, headers } = definition;
  if (command !== undefined) record.command = command;
  if (args) record.args = args;
  if (env) record.env = env;
  if (cwd !== undefined) record.cwd = cwd;
  if (url !== undefined) record.url = url;
  if (headers) record.headers = headers;
  if (verdict.kind === 'blocked') record.rule = verdict.rule;
  if (name !== definition.name) record.renamedFrom = definition.name;
  if (runningInstance?.url !== undefined) record.runsAt = runningInstance.url;
  return record;
}

/** Clients that are not installed are not listed as users of a server. */
function usedOf(definitions: readonly Definition[]): readonly Definition[] {
  const used = definitions.filter(({ clientIsAbsent }) => !clientIsAbsent);
  return used.length > 0 ? used : definitions;
}

function originOf({ client, scope, source, line }: Definition): Origin {
  return { client, scope, source, line };
}
