export { toAlias } from './alias.js';
export { Definition, Input, LaunchFields, Scope, State, Transport, WrittenFields } from './definition.js';
export { declaredHeaders } from './header-declarations.js';
export { ancestors, findRepository, type Host, type Platform, sameFolderKey, variable } from './host.js';
export { launchIdentity, plainUrl, proxyChain } from './launch-identity.js';
export { maskDefinition, maskScanResult, maskServer, writtenBy } from './mask.js';
export { NOT_RESTORED } from './own-notices.js';
export { Problem, Severity } from './problem.js';
export {
  CAPABILITY_FOR,
  type Era,
  LEGACY_VERSIONS,
  META,
  MODERN_VERSION,
  type SupportedEras,
  UNSUPPORTED_VERSION,
} from './protocol-revisions.js';
export { Origin, ScanResult, ServerRecord } from './server-record.js';
export { envFilePath, helperWords, startFolder } from './start-folder.js';
export type { Conversation, ElicitationCount, Progress, ServerHandshake, Tool, ToolResult } from './tool.js';
export { programName, unwrapped } from './unwrap-command.js';
