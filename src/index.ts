import { fileURLToPath } from 'node:url';
import { type GatewayOptions, type OpenGateway, openGateway as openHere } from './app/index.js';
import { type DiscoverOptions, discover as discoverHere } from './discovery/index.js';
import type { Chart } from './model/index.js';

export type {
  ExecuteAnswer,
  ExecuteOptions,
  GatewayOptions,
  OpenGateway,
  PythonAnswer,
  PythonError,
  PythonOptions,
  PythonOutcome,
} from './app/index.js';
export { ErrorCode, PortolanError } from './base/index.js';
export type { DiscoverOptions } from './discovery/index.js';
export type {
  Chart,
  Definition,
  Input,
  LaunchFields,
  Origin,
  Problem,
  Scope,
  Server,
  Severity,
  State,
  Transport,
} from './model/index.js';
export { maskChart, maskDefinition, maskServer } from './model/index.js';
export { type RegisteredServer, type ServerInfo, ServerRegistry } from './registry/index.js';
export {
  createToolIndex,
  type Embedder,
  energeticEmbedder,
  type IndexedTool,
  type RememberedUse,
  type SearchOptions,
  type SearchResult,
  type ToolIndex,
  type ToolIndexOptions,
} from './search/index.js';

/** Everything that AI clients on this machine have written down about MCP servers. Nothing found is ever executed. */
export function discover(options: DiscoverOptions = {}): Promise<Chart> {
  // The bundled program lies beside this file, and an entry that starts it is no server.
  return discoverHere({ self: fileURLToPath(new URL('./cli.js', import.meta.url)), ...options });
}

/** Every server of this machine behind one door: list, search, describe, call. Close it when done. */
export function openGateway(options: GatewayOptions = {}): Promise<OpenGateway> {
  return openHere({ self: fileURLToPath(new URL('./cli.js', import.meta.url)), ...options });
}
