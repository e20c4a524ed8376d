import { silentLog } from '../base/index.js';
import type { Discovery } from '../discovery/index.js';
import { ownFolders } from '../discovery/index.js';
import { ENGINE_NAMES, type EngineName, isInstalled, openSandbox, type Probe } from '../sandbox/index.js';

/** The state of one engine. `untried`: installed but not started, because another engine is used. */
export type EngineState =
  | {
      readonly engine: EngineName;
      readonly state: 'works';
      readonly version: string;
      readonly guarantees: readonly string[];
    }
  | { readonly engine: EngineName; readonly state: 'fails'; readonly problem: string; readonly hint: string }
  | { readonly engine: EngineName; readonly state: 'untried' };

/** Probes the engines in order of preference until one works, or all of them. Empty if programs are switched off. */
export async function sandboxState({ host, settings }: Discovery, isEvery: boolean): Promise<readonly EngineState[]> {
  const { engine: wanted, image } = settings.settings.sandbox;
  if (wanted === 'off') return [];
  const { sandbox: folder } = ownFolders(host);
  await using sandbox = openSandbox({ engine: wanted, folder, log: silentLog, ...(image !== undefined && { image }) });
  const states: EngineState[] = [];
  for (const engine of ENGINE_NAMES) {
    const isTaken = wanted === engine || (wanted === 'auto' && !states.some(({ state }) => state === 'works'));
    // A container is expensive to start, so it is probed only if the settings name it.
    const isContainer = engine === 'podman' || engine === 'docker';
    const isTried = isEvery || wanted === engine || (isTaken && !isContainer) || !isInstalled(engine, folder);
    if (!isTried) {
      states.push({ engine, state: 'untried' });
      continue;
    }
    states.push(stateOf(await sandbox.probe(engine)));
  }
  return states;
}

function stateOf(probe: Probe): EngineState {
  if (!probe.ok) return { engine: probe.engine, state: 'fails', problem: probe.problem, hint: probe.hint };
  const { engine, version, guarantees } = probe;
  return { engine, state: 'works', version, guarantees };
}
