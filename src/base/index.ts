export type { Brand } from './brand.js';
export { assertNever, ErrorCode, PortolanError } from './errors.js';
export {
  diskFiles,
  type FileReading,
  type Files,
  type FolderName,
  type FolderReading,
  MAX_FILE_BYTES,
} from './files.js';
export { hmac256, randomKey, sha256 } from './hash.js';
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
export { commandsIn, quoted, splitWords } from './shell-words.js';
export { matchesWildcard } from './wildcard.js';
