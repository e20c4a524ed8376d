export type { AuditEntry, AuditReading, PythonAnswer, PythonError } from '../gateway/index.js';
export {
  isFingerprint,
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
export type { ClientEntries, ClientEntry } from './client-entries.js';
export type { DaemonOptions } from './daemon.js';
export { type DaemonPlace, daemonPlace } from './daemon-place.js';
export { type DiscoverOptions, type Discovery, discover, discoverAll, hostOf } from './discover.js';
export {
  listensAt,
  openGateway,
  serveClient,
  serveClientsOverHttp,
  serveEverybody,
  startGateway,
} from './doors.js';
export { type Explanation, explain, type Fate, launchText, surroundingsText } from './explain.js';
export { type OwnFolders, ownFolders } from './folders.js';
export { type Installed, install, uninstall } from './install.js';
export type { ToolChange } from './known-tools.js';
export { launchFingerprint } from './launch-fingerprint.js';
export {
  approveTools,
  changedTools,
  clientEntries,
  hiddenTools,
  knownClients,
  readAudit,
  readServerLog,
  sandboxState,
  takeTour,
} from './lazy-use-cases.js';
export type { ExecuteAnswer, ExecuteOptions, OpenGateway, PythonOptions, PythonOutcome } from './library.js';
export { addServer, type Import, importServers, type NewServer, removeServer } from './own-servers.js';
export { inspectOwnSettings, type OwnSettings, type SettingRow } from './own-settings.js';
export { memoryOf } from './process-memory.js';
export { approveSettings, pendingQuestions, type Question, questionAbout, rule, writeLock } from './rule.js';
export { distinctServers, readRunning, transportsOf } from './running.js';
export type { EngineState } from './sandbox-state.js';
export type { ServeOptions } from './serve.js';
export type { ServeHttpOptions } from './serve-http.js';
export { credentialPath, signedIn, signIn, signOut } from './sign-in.js';
export type { GatewayOptions, RunningGateway } from './start-gateway.js';
export type { TourOptions, TourStep, TourStepName } from './tour.js';
