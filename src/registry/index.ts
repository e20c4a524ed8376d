export { readForeignRegistry } from './foreign-registry.js';
export { readRegistry } from './read-registry.js';
export { isFingerprint, type RegisteredServer, type ServerInfo, serverId, TRANSPORTS } from './server-info.js';
export { projectRegistryPath, ServerRegistry, userRegistryPath } from './server-registry.js';
