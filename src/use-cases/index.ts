export type { AuditReading } from '../audit/index.js';
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
export { settingsJsonSchema } from '../settings/index.js';
export { entryFrom } from '../sources/index.js';
export type { SignedIn } from '../upstream/index.js';
export {
  type ApprovalQuestion,
  approveSettings,
  pendingQuestions,
  questionAbout,
  recordRuling,
  writeLock,
} from './approve-servers.js';
export type { ClientEntries, ClientEntry } from './client-entries.js';
export { obtainConsent, SessionGrants } from './consent.js';
export {
  type DefinitionOutcome,
  type Explanation,
  explain,
  launchDetailsOf,
  launchText,
  serverNamed,
} from './explain.js';
export { withStoredValues } from './fill-in-secrets.js';
export { inspectOwnSettings, type OwnSettings, type SettingOrigin } from './inspect-settings.js';
export type { Installed, InstallOptions, InstallPlan, PlannedFile, Uninstalled } from './install-client.js';
export { installedModel, MODEL_VERSION } from './installed-model.js';
export { launchFingerprint } from './launch-fingerprint.js';
export {
  approveTools,
  changedTools,
  clientEntries,
  detectedClients,
  forgetSearches,
  hiddenTools,
  install,
  installModel,
  knownClients,
  planInstall,
  readAudit,
  readServerLog,
  removeModel,
  rulesForServers,
  sandboxState,
  takeOverSavings,
  takeTour,
  uninstall,
  verifyInstall,
} from './lazy-use-cases.js';
export type { MissingValue } from './missing-values.js';
export { addServer, importServers, type NewServer, removeServer, type ServerScope } from './own-servers.js';
export { memoryOf } from './process-memory.js';
export type { EngineState } from './sandbox-state.js';
export { credentialPath, signedIn, signIn, signOut } from './server-sign-in.js';
export { applySet, planSet, type SetResult } from './set-value.js';
export { startProblems } from './start-problems.js';
export { storedRevision } from './stored-references.js';
export type { DetectedClient } from './take-over/detected-clients.js';
export { selfStartingClients, takeOverAdvice } from './take-over/self-started.js';
export type { TakeOverSavings } from './take-over/take-over-savings.js';
export type { TourStep } from './tour/take-tour.js';
export type { Verification } from './verify-entry.js';
