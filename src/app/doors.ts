import type { OpenGateway } from './library.js';
import type { ServeOptions } from './serve.js';
import type { GatewayOptions, RunningGateway } from './start-gateway.js';

// Whoever only wants the chart must not load the gateway: these two load it when they are called.

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

/** The gateway itself, for commands that need more of it than a program does. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const start = await import('./start-gateway.js');
  return start.startGateway(options);
}
