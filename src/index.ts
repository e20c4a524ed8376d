import { fileURLToPath } from 'node:url';
import { type GatewayOptions, type OpenGateway, openGateway as openHere } from './app/index.js';
import { type DiscoverOptions, discover as discoverHere } from './discovery/index.js';
import type { ScanResult } from './model/index.js';

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
  Definition,
  Input,
  LaunchFields,
  Origin,
  Problem,
  ScanResult,
  Scope,
  ServerRecord as Server,
  Severity,
  State,
  Transport,
} from './model/index.js';
export { maskDefinition, maskScanResult, maskServer } from './model/index.js';
export { type RegisteredServer, type ServerInfo, ServerRegistry } from './registry/index.js';
export {
  createToolIndex,
  type Embedder,
  energeticEmbedder,
  type IndexedTool,
  type RememberedUse,
  type ScoreParts,
  type SearchOptions,
  type SearchResult,
  type ToolIndex,
  type ToolIndexOptions,
  type VectorCache,
} from './search/index.js';

/** Finds every MCP server that AI clients on this machine have configured. Nothing that is found is executed. */
export function discover(options: DiscoverOptions = {}): Promise<ScanResult> {
  // The program file is beside this file; an entry that starts it is this gateway and not a server.
  return discoverHere({ self: fileURLToPath(new URL('./cli.js', import.meta.url)), ...options });
}

/** Opens a gateway to every server of this machine: list, search, describe and call tools. The caller must close it. */
export function openGateway(options: GatewayOptions = {}): Promise<OpenGateway> {
  return openHere({ self: fileURLToPath(new URL('./cli.js', import.meta.url)), ...options });
}
