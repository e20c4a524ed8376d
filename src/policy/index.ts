export { type AdmittedServer, admit, fillIn } from './admit.js';
export {
  type ApprovalFiles,
  type Approvals,
  approvalFiles,
  isSettingsApproved,
  readApprovals,
} from './approvals-file.js';
export { candidatesOf, MAX_CANDIDATES } from './command-candidates.js';
export {
  type Content,
  type CoveredFile,
  contentHash,
  type LoaderVariable,
  NO_CONTENT,
} from './covered-content.js';
export { type AskedBecause, decide, type PolicyInputs, refusedForFiles, stateOf, type Verdict } from './decide.js';
export { type Fingerprint, fingerprint } from './fingerprint.js';
export { type Lock, readLock, writtenLock } from './lock-file.js';
export { isAtOrAbove, isFromRepository, projectFolder } from './repository-origin.js';
export { rulesByServerName } from './rules-by-server-name.js';
export { lastRuling, type Ruling, reviewHash, type Seal, shownForm } from './rulings.js';
export {
  admittedServers,
  findServer,
  findServerByName,
  noteRemoved,
  requireAdmitted,
  type Server,
  serverNotFound,
  shownName,
} from './server.js';
export { parseServerRules, ruleJudge, type ServerRule } from './server-rules.js';
export {
  compileToolRules,
  MAX_TOOL_NAME_CHARACTERS,
  type ToolDefault,
  type ToolJudge,
} from './tool-rules.js';
