import type { AuditReading } from '../audit/index.js';
import type { FileReading } from '../base/index.js';
import type { DiscoverOptions, Discovery } from '../discovery/index.js';
import type { Problem } from '../model/index.js';
import type { ClientEntries } from './client-entries.js';
import type { ToolChange } from './known-tools.js';
import type { EngineState } from './sandbox-state.js';
import type { TourOptions } from './tour/take-tour.js';

// The bundler keeps apart only what is imported like this: a command loads what it uses.

/** The number of tools of each server that no rule enables or that its entry leaves out, as far as the tools are known. */
export async function hiddenTools(discovery: Discovery): Promise<Problem[]> {
  const known = await import('./known-tools.js');
  return known.hiddenTools(discovery);
}

/** Rules with a pattern that matches a server's name. */
export async function rulesForServers(discovery: Discovery): Promise<Problem[]> {
  const rules = await import('./rules-for-servers.js');
  return rules.rulesForServers(discovery);
}

/** The tools of a server about which somebody has to decide. */
export async function changedTools(discovery: Discovery, server: string): Promise<ToolChange[]> {
  const known = await import('./known-tools.js');
  return known.changedTools(discovery, server);
}

/** From now on these tools, as they were shown, count as seen. */
export async function approveTools(discovery: Discovery, server: string, seen: readonly ToolChange[]): Promise<void> {
  const known = await import('./known-tools.js');
  return known.approveTools(discovery, server, seen);
}

/** The record of calls in a folder. */
export async function readAudit(
  ...[folder, options]: Parameters<typeof import('../audit/index.js').readAudit>
): Promise<AuditReading> {
  const gateway = await import('../audit/index.js');
  return gateway.readAudit(folder, options);
}

/** What a server wrote on stderr when it last ran. */
export async function readServerLog(folder: string, server: string): Promise<FileReading> {
  const upstream = await import('../upstream/index.js');
  return upstream.readServerLog(folder, server);
}

/** Shows the main job for real, in a home and a project that are thrown away. */
export async function takeTour(options: TourOptions): Promise<void> {
  const tour = await import('./tour/take-tour.js');
  return tour.takeTour(options);
}

/** The ids of all clients that have a file to write to, whether they are here or not. */
export async function knownClients(): Promise<readonly string[]> {
  const entries = await import('./client-entries.js');
  return entries.knownClients();
}

/** What to paste into every client that has left a trace on this machine. */
export async function clientEntries(options: DiscoverOptions = {}): Promise<ClientEntries> {
  const entries = await import('./client-entries.js');
  return entries.clientEntries(options);
}

/** How the engines fare here in which programs can be run. */
export async function sandboxState(discovery: Discovery, isEvery: boolean): Promise<readonly EngineState[]> {
  const state = await import('./sandbox-state.js');
  return state.sandboxState(discovery, isEvery);
}
