export { lastingController, unwatchAbort, watchAbort } from './abort-watchers.js';
export type { Brand } from './brand.js';
export { type Deadline, deadline, LONGEST_TIMER_MS } from './deadline.js';
export { DRAIN_MS } from './drain.js';
export { type EditFormat, type EntryPath, type Plain, readEntry, removeEntry, setEntry } from './edit/index.js';
export { type EditedFile, editFile } from './edit-file.js';
export { assertNever, ErrorCode, PortolanError } from './errors.js';
export { keepDigits, readJson, restoreDigits, writeJson, writtenMember } from './exact-json.js';
export {
  diskFiles,
  type FileReading,
  type Files,
  type FolderName,
  type FolderReading,
  MAX_FILE_BYTES,
} from './files.js';
export { hmac256, randomId, randomKey, sha256 } from './hash.js';
export { homeFolder } from './home-folder.js';
export { type CleanText, cleanDeep, cleanText, type TextFault } from './hostile-text.js';
export { isObject } from './is-object.js';
export { jsonLine, oneLine, passedJson } from './json-line.js';
export { isDeeperThan, isValueDeeperThan } from './json-scan.js';
export { jsonWord } from './json-word.js';
export { LineSplitter } from './line-splitter.js';
export { jsonLog, type Log, type LogLevel, silentLog } from './log.js';
export type { Mutable } from './mutable.js';
export { nearest } from './nearest.js';
export { OpenTable } from './open-table.js';
export {
  allProcesses,
  currentBoot,
  entryOf,
  identityOf,
  isAlive,
  type ProcessEntry,
  type ProcessIdentity,
} from './process-identity.js';
export { redactor } from './redact.js';
export {
  type Answer,
  AnswerTooLarge,
  type Channel,
  ChannelClosed,
  type ChannelListener,
  type Id,
  type Incoming,
  type LargeMessage,
  largeMessage,
  NO_ID,
  type Outgoing,
  type Params,
  Peer,
  type PeerHandlers,
  type Pending,
  parseLine,
  RpcCode,
  RpcError,
  type RpcFault,
  type RpcResult,
  readId,
  readMessage,
  StreamChannel,
  type StreamLimits,
  toObject,
  tooLarge,
  Undelivered,
} from './rpc/index.js';
export { type SealPurpose, seal, type Unsealed, unseal } from './sealed.js';
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
} from './secrets.js';
export { commandsIn, quoted, shellCharacter, shellWord, splitWords } from './shell-words.js';
export { checkSocket, factsOf, isPipeName, makeSocketFolder, type SocketWish, socketPlace } from './socket-place.js';
export { unlessAborted } from './unless-aborted.js';
export { type Address, addressOf, matchesUrl, type Reading, urlPattern, withoutSlashes } from './url-pattern.js';
export { visible } from './visible.js';
export { matchesWildcard, wildcard } from './wildcard.js';
export { type FileFacts, type OpenFile, type WritableDisk, writableDisk } from './writable-disk.js';
export {
  backupOf,
  removeFile,
  type WriteOptions,
  type WrittenFile,
  writeFile,
} from './write-file.js';
