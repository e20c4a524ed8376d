import type { AuditReading } from '../audit/index.js';
import type { FileReading } from '../base/index.js';
import type { DiscoverOptions, Discovery } from '../discovery/index.js';
import type { Problem } from '../model/index.js';
import type { ClientEntries } from './client-entries.js';
import type { Installed, InstallOptions, InstallPlan, Uninstalled } from './install-client.js';
import type { ToolChange } from './known-tools.js';
import type { EngineState } from './sandbox-state.js';
import type { DetectedClient } from './take-over/detected-clients.js';
import type { TakeOverSavings } from './take-over/take-over-savings.js';
import type { TourOptions } from './tour/take-tour.js';
import type { Verification } from './verify-entry.js';

// Dynamic imports, so that the bundler splits the code and a command loads only its part.

/** Reports the number of known tools per server that no rule enables or that their entry leaves out. */
export async function hiddenTools(discovery: Discovery): Promise<Problem[]> {
  const known = await import('./known-tools.js');
  return known.hiddenTools(discovery);
}

/** Tool rules whose pattern matches a server's name. */
export async function rulesForServers(discovery: Discovery): Promise<Problem[]> {
  const rules = await import('./rules-for-servers.js');
  return rules.rulesForServers(discovery);
}

/** The tools of a server that wait for a decision. */
export async function changedTools(discovery: Discovery, server: string): Promise<ToolChange[]> {
  const known = await import('./known-tools.js');
  return known.changedTools(discovery, server);
}

/** Approves these tools as they were shown. */
export async function approveTools(discovery: Discovery, server: string, seen: readonly ToolChange[]): Promise<void> {
  const known = await import('./known-tools.js');
  return known.approveTools(discovery, server, seen);
}

/** The audit log in a directory. */
export async function readAudit(
  ...[folder, options]: Parameters<typeof import('../audit/index.js').readAudit>
): Promise<AuditReading> {
  const gateway = await import('../audit/index.js');
  return gateway.readAudit(folder, options);
}

/** The stderr of a server's last run. */
export async function readServerLog(folder: string, server: string): Promise<FileReading> {
  const upstream = await import('../upstream/index.js');
  return upstream.readServerLog(folder, server);
}

/** Resets what searches learned in a project, or in all without one; returns how many calls were remembered. */
export async function forgetSearches(stateFolder: string, project: string | undefined): Promise<number> {
  const gateway = await import('../gateway/index.js');
  return gateway.forgetUses(stateFolder, project);
}

/** Installs the optional model for search; returns its directory. */
export async function installModel(
  ...given: Parameters<typeof import('./search-model.js').installSearchModel>
): Promise<string> {
  const model = await import('./search-model.js');
  return model.installSearchModel(...given);
}

/** Removes the optional model for search; returns whether it was installed. */
export async function removeModel(stateFolder: string, cacheFolder: string): Promise<boolean> {
  const model = await import('./search-model.js');
  return model.removeSearchModel(stateFolder, cacheFolder);
}

/** Runs the tour with real servers, in a temporary home and project. */
export async function takeTour(options: TourOptions): Promise<void> {
  const tour = await import('./tour/take-tour.js');
  return tour.takeTour(options);
}

/** The ids of all clients with a writable file, installed or not. */
export async function knownClients(): Promise<readonly string[]> {
  const entries = await import('./client-entries.js');
  return entries.knownClients();
}

/** The entries to paste into every client found on this machine. */
export async function clientEntries(options: DiscoverOptions = {}): Promise<ClientEntries> {
  const entries = await import('./client-entries.js');
  return entries.clientEntries(options);
}

/** The state of the sandbox engines on this machine. */
export async function sandboxState(discovery: Discovery, isEvery: boolean): Promise<readonly EngineState[]> {
  const state = await import('./sandbox-state.js');
  return state.sandboxState(discovery, isEvery);
}

/** What a take-over would save, from the tool lists in the catalog. */
export async function takeOverSavings(discovery: Discovery): Promise<TakeOverSavings> {
  const savings = await import('./take-over/take-over-savings.js');
  return savings.takeOverSavings(discovery);
}

/** The clients on this machine into which Portolan can be installed. */
export async function detectedClients(discovery: Discovery, options?: InstallOptions): Promise<DetectedClient[]> {
  const detected = await import('./take-over/detected-clients.js');
  return detected.detectedClients(discovery, options);
}

/** What `install` would do with a client. */
export async function planInstall(id: string, options?: InstallOptions): Promise<InstallPlan> {
  const client = await import('./install-client.js');
  return client.planInstall(id, options);
}

/** Adds Portolan to a client's own file, with `takeOver` in place of its servers. */
export async function install(id: string, options?: InstallOptions): Promise<Installed> {
  const client = await import('./install-client.js');
  return client.install(id, options);
}

/** Removes Portolan from the client's files and gives the client its servers back. */
export async function uninstall(id: string, options?: DiscoverOptions): Promise<Uninstalled> {
  const client = await import('./install-client.js');
  return client.uninstall(id, options);
}

/** Starts the entry of a plan once. */
export async function verifyInstall(
  plan: Pick<InstallPlan, 'program'>,
  options: InstallOptions,
): Promise<Verification> {
  const entry = await import('./verify-entry.js');
  return entry.verifyInstall(plan, options);
}
