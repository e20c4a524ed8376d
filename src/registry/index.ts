export { type ForeignReading, readForeignRegistry } from './foreign-registry.js';
export { type RegistryReading, readRegistry } from './read-registry.js';
export {
  isFingerprint,
  type RegisteredServer,
  type ServerHttp,
  type ServerInfo,
  type ServerTransport,
  serverId,
  TRANSPORTS,
  type TransportType,
} from './server-info.js';
export { projectRegistryPath, type RegistryOptions, ServerRegistry, userRegistryPath } from './server-registry.js';
