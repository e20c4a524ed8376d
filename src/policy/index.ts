export { type AdmittedServer, admit } from './admit.js';
export { decide, type Grounds, stateOf, type Verdict } from './decide.js';
export { type Behaviour, type Fingerprint, fingerprint } from './fingerprint.js';
export { type Folders, folderOfApproval, isFromRepository } from './repository.js';
export {
  lastRuling,
  type Ruling,
  type Rulings,
  reviewHash,
  type Seal,
  sealOf,
  sealText,
  shownForm,
} from './rulings.js';
export {
  judgeByRules,
  parseServerRules,
  type RuleVerdict,
  ruleJudge,
  type ServerRule,
  type ServerRules,
} from './server-rules.js';
export {
  compileToolRules,
  MAX_TOOL_NAME_CHARACTERS,
  type ToolJudge,
  type ToolRule,
  type ToolVerdict,
} from './tool-rules.js';
