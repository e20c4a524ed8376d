import type { CommandGateway } from './command-requests.js';
import type { OpenGateway } from './library.js';
import type { CommandOptions } from './open-for-command.js';
import type { DaemonOptions } from './run-daemon.js';
import type { ServeHttpOptions } from './run-http.js';
import type { ServeOptions } from './run-stdio.js';
import type { GatewayOptions } from './start-gateway.js';

// Dynamic imports, so that the bundler separates the gateway from commands that only scan.

/** The default port of an address without one. */
const USUAL_PORT = 80;

/** Finds every server and opens one gateway to all of them. */
export async function openGateway(options: GatewayOptions = {}): Promise<OpenGateway> {
  const library = await import('./library.js');
  return library.openGateway(options);
}

/** Serves one client over stdio until it disconnects or `signal` aborts. */
export async function serveClient(options: ServeOptions): Promise<void> {
  const serve = await import('./run-stdio.js');
  return serve.serveClient(options);
}

/** Serves any number of clients over HTTP until the signal aborts. */
export async function serveClientsOverHttp(options: ServeHttpOptions): Promise<void> {
  const serve = await import('./run-http.js');
  return serve.serveClientsOverHttp(options);
}

/** Serves every client of this user over a socket until the signal aborts. */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const daemon = await import('./run-daemon.js');
  return daemon.runDaemon(options);
}

/** The gateway of the daemon, or one in this process, for one command. */
export async function openForCommand(options: CommandOptions): Promise<CommandGateway> {
  const open = await import('./open-for-command.js');
  return open.openForCommand(options);
}

/** Whether a gateway at `url` listens on the requested address. */
export async function listensAt(url: string, written: string): Promise<boolean> {
  const serve = await import('../serve/index.js');
  const { host, port } = serve.readAddress(written);
  const { hostname, port: open } = new URL(url);
  const isAnyPort = port === 0;
  return hostname === urlHost(host) && (isAnyPort || Number(open || USUAL_PORT) === port);
}

/** The host in its normal form in a URL: lower case, IPv6 in brackets. */
function urlHost(host: string): string {
  return new URL(`http://${host.includes(':') ? `[${host}]` : host}`).hostname;
}
