/** Settings that nobody uses as a password, because every program knows them. */
const COMMON =
  /^(?:true|false|yes|no|on|off|null|none|auto|default|debug|verbose|info|warn(?:ing)?|error|trace|silent|production|prod|development|dev|staging|test|local|stdio|http|sse|json|yaml|text|utf-?8|-?\d{1,5}(?:\.\d{1,3})?)$/i;
/** Base64 may also begin with a slash, but its parts are longer than names with digits. */
const LONGEST_NAME_WITH_DIGITS = 20;
/** A directory of the system, of the user or beside the program, or a drive. */
const PATH_START = /^(?:~?[\\/]|\.{1,2}[\\/]|[A-Za-z]:[\\/]|\$\{?HOME\}?[\\/])/;
/** A file in a directory, without a place at which the path begins. */
const RELATIVE_FILE = /^[\w.-]+(?:[\\/][\w.-]+)*\.[a-z][a-z0-9]{0,5}$/i;
/** A plain address. A word before the host, a query or a fragment may hold a secret. */
const PLAIN_URL = /^[a-z][a-z0-9+.-]*:\/\/[\w.-]+(?::\d+)?(?:\/[\w./~-]*)?$/i;
/** Digits in a word of a path or address: a year, a version, a number of a copy. */
const WORD_WITH_NUMBER = /^(?:[a-z]{0,14}\d{1,4}|\d{1,8}|v\d[\d.]*)$/i;

/** Whether the value of a variable is a path, a plain address or a common setting. Errors need them, so they stay visible. */
export function isOrdinaryValue(value: string): boolean {
  return value === '' || COMMON.test(value) || isPath(value) || isPathList(value) || isPlainUrl(value);
}

function isPathList(value: string): boolean {
  const separator = value.includes(';') ? ';' : ':';
  const parts = value.split(separator);
  return parts.length > 1 && parts.every((part) => part !== '' && PATH_START.test(part) && isPath(part));
}

function isPath(value: string): boolean {
  const isRooted = PATH_START.test(value);
  if (!isRooted && !RELATIVE_FILE.test(value)) return false;
  return value.split(/[\\/]/).every((part) => isFileName(part, isRooted));
}

function isFileName(name: string, isRooted: boolean): boolean {
  if (name.includes(':') && !/^[A-Za-z]:$/.test(name)) return false;
  // A directory at the start makes a secret unlikely, so short random names are accepted after it.
  if (isRooted && name.length < LONGEST_NAME_WITH_DIGITS) return true;
  return name.split(/[-_. @+]/).every(isWord);
}

function isWord(part: string): boolean {
  return part.length < LONGEST_NAME_WITH_DIGITS && (!/\d/.test(part) || WORD_WITH_NUMBER.test(part));
}

function isPlainUrl(value: string): boolean {
  return PLAIN_URL.test(value) && value.split(/[-_./:~]/).every(isWord);
}
