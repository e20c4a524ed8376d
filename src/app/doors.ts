import type { FileReading } from '../base/index.js';
import type { AuditReading } from '../gateway/index.js';
import type { Problem } from '../model/index.js';
import type { ClientEntries } from './client-entries.js';
import type { DaemonOptions } from './daemon.js';
import type { DiscoverOptions, Discovery } from './discover.js';
import type { ToolChange } from './known-tools.js';
import type { OpenGateway } from './library.js';
import type { EngineState } from './sandbox-state.js';
import type { ServeOptions } from './serve.js';
import type { ServeHttpOptions } from './serve-http.js';
import type { GatewayOptions, RunningGateway } from './start-gateway.js';
import type { TourOptions } from './tour.js';

// Whoever only wants the chart must not load the gateway, and the bundler keeps apart only what is imported like this.

/** An address that names no port means this one. */
const USUAL_PORT = 80;

/** Finds every server and opens one small door to all of them. */
export async function openGateway(options: GatewayOptions = {}): Promise<OpenGateway> {
  const library = await import('./library.js');
  return library.openGateway(options);
}

/** Serves one client over stdio until it leaves or we are told to end. */
export async function serveClient(options: ServeOptions): Promise<void> {
  const serve = await import('./serve.js');
  return serve.serveClient(options);
}

/** Serves any number of clients over HTTP until we are told to end. */
export async function serveClientsOverHttp(options: ServeHttpOptions): Promise<void> {
  const serve = await import('./serve-http.js');
  return serve.serveClientsOverHttp(options);
}

/** Serves every client of this user over a socket until we are told to end. */
export async function serveEverybody(options: DaemonOptions): Promise<void> {
  const daemon = await import('./daemon.js');
  return daemon.serveEverybody(options);
}

/** The gateway itself, for commands that need more of it than a program does. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const start = await import('./start-gateway.js');
  return start.startGateway(options);
}

/** How many tools of each server an allow-list hides, as far as their lists are known. */
export async function hiddenTools(discovery: Discovery): Promise<Problem[]> {
  const known = await import('./known-tools.js');
  return known.hiddenTools(discovery);
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
  ...[folder, options]: Parameters<typeof import('../gateway/index.js').readAudit>
): Promise<AuditReading> {
  const gateway = await import('../gateway/index.js');
  return gateway.readAudit(folder, options);
}

/** What a server wrote on stderr when it last ran. */
export async function readServerLog(folder: string, server: string): Promise<FileReading> {
  const upstream = await import('../upstream/index.js');
  return upstream.readServerLog(folder, server);
}

/** Shows the main job for real, in a home and a project that are thrown away. */
export async function takeTour(options: TourOptions): Promise<void> {
  const tour = await import('./tour.js');
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

/** The names that somebody may have meant, nearest first. */
export async function nearest(wanted: string, names: Iterable<string>, count?: number): Promise<readonly string[]> {
  const gateway = await import('../gateway/index.js');
  return gateway.nearest(wanted, names, count);
}

/** Whether a gateway that is reached at `url` listens where somebody wrote that it shall. */
export async function listensAt(url: string, written: string): Promise<boolean> {
  const serve = await import('../serve/index.js');
  const { host, port } = serve.readAddress(written);
  const { hostname, port: open } = new URL(url);
  const isAnyPort = port === 0;
  return hostname === urlHost(host) && (isAnyPort || Number(open || USUAL_PORT) === port);
}

/** As it stands in an address, where capitals and brackets are told otherwise. */
function urlHost(host: string): string {
  return new URL(`http://${host.includes(':') ? `[${host}]` : host}`).hostname;
}

/** How the engines fare here in which programs can be run. */
export async function sandboxState(discovery: Discovery, isEvery: boolean): Promise<readonly EngineState[]> {
  const state = await import('./sandbox-state.js');
  return state.sandboxState(discovery, isEvery);
}
