export type { AuditEntry, AuditReading } from '../gateway/index.js';
export {
  projectRegistryPath,
  type RegisteredServer,
  type ServerInfo,
  ServerRegistry,
  serverId,
  TRANSPORTS,
  userRegistryPath,
} from '../registry/index.js';
export { entryFrom } from '../sources/index.js';
export type { SignedIn, SignedOut } from '../upstream/index.js';
export type { DaemonOptions } from './daemon.js';
export { type DaemonPlace, daemonPlace } from './daemon-place.js';
export { type DiscoverOptions, type Discovery, discover, discoverAll, hostOf } from './discover.js';
export {
  approveTools,
  changedTools,
  hiddenTools,
  openGateway,
  readAudit,
  readServerLog,
  serveClient,
  serveClientsOverHttp,
  serveEverybody,
  startGateway,
} from './doors.js';
export { type Explanation, explain, type Fate, launchText, surroundingsText } from './explain.js';
export { type OwnFolders, ownFolders } from './folders.js';
export { type Installed, install, uninstall } from './install.js';
export type { ToolChange } from './known-tools.js';
export type { ExecuteAnswer, ExecuteOptions, OpenGateway } from './library.js';
export { addServer, type Import, importServers, type NewServer, removeServer } from './own-servers.js';
export { inspectOwnSettings, type OwnSettings, type SettingRow } from './own-settings.js';
export { approveSettings, pendingQuestions, type Question, questionAbout, rule, writeLock } from './rule.js';
export type { ServeOptions } from './serve.js';
export type { ServeHttpOptions } from './serve-http.js';
export { credentialPath, signedIn, signIn, signOut } from './sign-in.js';
export type { GatewayOptions, RunningGateway } from './start-gateway.js';
