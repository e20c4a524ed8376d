export { lastingController, unwatchAbort, watchAbort } from './abort-watchers.js';
export type { Brand } from './brand.js';
export { deadline, LONGEST_TIMER_MS } from './deadline.js';
export { assertNever, codeOf, ErrorCode, isErrorCode, PortolanError } from './errors.js';
export {
  newCounter,
  type QueueCounter,
  type QueueLimits,
  type Refusal,
  tryPlace,
  waitForPlace,
} from './fair-queue.js';
export { type FileContent, type FileStatus, MAX_WHOLE_BYTES } from './fs/file-content.js';
export {
  decodeText,
  diskFiles,
  type FileReading,
  type Files,
  type FolderName,
  type FolderReading,
  MAX_FILE_BYTES,
} from './fs/files.js';
export { homeFolder } from './fs/home-folder.js';
export {
  allProcesses,
  currentBoot,
  entryOf,
  identityOf,
  isAlive,
  isIdentity,
  type ProcessEntry,
  type ProcessIdentity,
} from './fs/process-identity.js';
export {
  checkSocket,
  daemonSocketPath,
  factsOf,
  isInRuntimeFolder,
  isOurs,
  isPipeName,
  isStickyFolder,
  legacySocketPath,
  linkTarget,
  makeSocketFolder,
  socketAt,
} from './fs/socket-path.js';
export { type OpenFile, type WritableDisk, writableDisk } from './fs/writable-disk.js';
export { backupOf, removeFile, type WrittenFile, withWriteErrors, writeFile } from './fs/write-file.js';
export { hmac256, randomId, randomKey, sha256 } from './hash.js';
export { keepDigits, readJson, restoreDigits, writeJson, writtenMember } from './json/exact-json.js';
export { isObject } from './json/is-object.js';
export { hasLineEnd, jsonLine, MAX_PASSED_TEXT, oneLine, passedJson } from './json/json-line.js';
export { isDeeperThan, isValueDeeperThan, PassingId } from './json/json-scan.js';
export { jsonWord } from './json/json-word.js';
export { jsonLog, type Log, type LogLevel, silentLog } from './log.js';
export type { Mutable } from './mutable.js';
export { SAVED_FILE_BYTES } from './saved-file-limit.js';
export { type SealPurpose, seal, unseal } from './sealed.js';
export { DEFAULT_SHUTDOWN_MS, MAX_SHUTDOWN_MS } from './shutdown-timeout.js';
export { globsOverlap } from './text/glob-overlap.js';
export { cleanDeep, cleanText, type TextFault } from './text/hostile-text.js';
export { scriptsMixedIn } from './text/mixed-scripts.js';
export { nearest } from './text/nearest-names.js';
export { isOrdinaryValue } from './text/ordinary-values.js';
export { redactor } from './text/redact.js';
export {
  isReference,
  isSecretField,
  isSecretName,
  looksSecret,
  MASK,
  maskArgs,
  maskCommandLine,
  maskText,
  maskUrl,
  type References,
} from './text/secrets.js';
export { commandsIn, quoted, shellCharacter, shellWord, splitWords } from './text/shell-words.js';
export { maskTokens } from './text/token-formats.js';
export { addressOf, matchesUrl, type PatternMode, urlPattern, withoutSlashes } from './text/url-pattern.js';
export { visible } from './text/visible.js';
export { matchesWildcard, wildcard } from './text/wildcard.js';
export { unlessAborted } from './unless-aborted.js';
