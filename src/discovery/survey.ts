import type { Mutable } from '../base/index.js';
import { type Definition, type Origin, type Server, toAlias } from '../model/index.js';
import { decide, fingerprint, type PolicyInputs, stateOf, type Verdict } from '../policy/index.js';
import type { SourceReadings } from '../sources/index.js';
import { type Held, resolveDefinitions } from './resolve-definitions.js';

/** The active definitions and verdicts, with the details that `why` shows. */
export interface Survey {
  readonly servers: readonly Server[];
  /** In the same order as `servers`. */
  readonly held: readonly Held[];
  readonly verdicts: ReadonlyMap<Definition, Verdict>;
  /** Definitions that do not count because a file has exclusive control. */
  readonly ignored: readonly Definition[];
}

/** Decides from the definitions that were read which ones count, may run, and are active. */
export function survey(
  { definitions, exclusive }: Pick<SourceReadings, 'definitions' | 'exclusive'>,
  grounds: PolicyInputs,
): Survey {
  const counts = ({ source }: Definition) => exclusive.length === 0 || exclusive.includes(source);
  const counted = definitions.filter(counts);
  const verdicts = new Map(counted.map((definition) => [definition, decide(definition, grounds)]));
  const held = resolveDefinitions(counted, (definition) => stateOf(verdictOf(verdicts, definition)), fingerprint);
  return { servers: toServers(held, verdicts), held, verdicts, ignored: definitions.filter((one) => !counts(one)) };
}

function verdictOf(verdicts: ReadonlyMap<Definition, Verdict>, definition: Definition): Verdict {
  const verdict = verdicts.get(definition);
  if (!verdict) throw new Error(`no verdict for ${definition.name}`);
  return verdict;
}

function toServers(held: readonly Held[], verdicts: ReadonlyMap<Definition, Verdict>): Server[] {
  const taken = new Set<string>();
  return held.map(({ name, active: chosen, origins, shadowed, runningInstance: through }) => {
    const alias = toAlias(name, taken);
    taken.add(alias);
    const verdict = verdictOf(verdicts, chosen);
    const server: Mutable<Server> = {
      name,
      alias,
      state: stateOf(verdict),
      transport: chosen.transport,
      source: chosen.source,
      origins: origins.map(originOf),
      shadowed: shadowed.map(originOf),
      // Computed on first use, because hashing loads a module that most callers do not need.
      get fingerprint() {
        return fingerprint(chosen);
      },
    };
    const { command, args, env, cwd, url, headers } = chosen;
    if (command !== undefined) server.command = command;
    if (args) server.args = args;
    if (env) server.env = env;
    if (cwd !== undefined) server.cwd = cwd;
    if (url !== undefined) server.url = url;
    if (headers) server.headers = headers;
    if (verdict.kind === 'blocked') server.rule = verdict.rule;
    if (name !== chosen.name) server.renamedFrom = chosen.name;
    if (through?.url !== undefined) server.runsAt = through.url;
    return server;
  });
}

function originOf({ client, scope, source, line }: Definition): Origin {
  return { client, scope, source, line };
}
