import { isReference, MASK } from './secrets.js';

/** Not inside a word. An escape of JSON or of a URL before the token does not belong to a word. */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt"])|(?<=%[0-9A-Fa-f]{2}))`;

/**
 * Tokens with a known prefix. Every pattern ends with a run that matches completely or fails within a fixed number of
 * characters, so the search is linear.
 */
const PREFIXED = [
  /gh[pousr]_\w{6,}/,
  /github_pat_\w{6,}/,
  /gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|soat|ffct)-[\w-]{6,}(?:\.\w+){0,3}/,
  /xapp-\d[\w-]{6,}/,
  /A[KS]IA[0-9A-Z]{16}(?![0-9A-Za-z])/,
  /AIza[\w-]{20,}/,
  /ya29\.[\w-]{10,}/,
  /GOCSPX-[\w-]{10,}/,
  /npm_[A-Za-z0-9]{30,}/,
  /pypi-AgE[\w-]{16,}/,
  /hf_[A-Za-z0-9]{20,}/,
  /[rs]k_(?:live|test)_[A-Za-z0-9]{8,}/,
  /whsec_[A-Za-z0-9+/=]{16,}/,
  /SG\.[\w-]{16,}\.[\w-]{16,}/,
  /do[opr]_v1_[a-f0-9]{20,}/,
  /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,}/,
  /dckr_(?:pat|oat)_[\w-]{16,}/,
  /hv[sbr]\.[\w-]{20,}/,
  /lin_(?:api|oauth)_[A-Za-z0-9]{16,}/,
  /(?:gsk|ntn|glsa|sbp|r8)_[A-Za-z0-9]{20,}/,
  /xai-[A-Za-z0-9]{20,}/,
] as const;
const PREFIXED_TOKEN = new RegExp(`${START}(?:${PREFIXED.map(({ source }) => source).join('|')})`, 'g');

/** Prefixes that ordinary names have as well: `looksRandom` decides by the rest. */
const DOUBTFUL_TOKEN = new RegExp(String.raw`${START}(?<![_-])(?:sk-|xox[a-z](?:\.xox[a-z])?-)[\w-]{3,}`, 'g');
/**
 * The base64 of a JSON header begins like this. The pattern matches missing or extra parts too; they are counted
 * afterwards.
 */
const JWT = new RegExp(String.raw`${START}eyJ[\w-]{8,}(?:\.[\w-]*){0,4}`, 'g');
const LEAST_JWT_DOTS = 2;

const QUOTES = String.raw`["'\\]{0,4}`;
const SPACE = String.raw`(?:\s|%20|\+){1,4}`;
const HEADER = new RegExp(
  String.raw`((?:authorization|x-api-key|x-goog-api-key|x-auth-token|private-token)${QUOTES}\s{0,4}[:=,]\s{0,4}${QUOTES})((?:bearer|basic|token|apikey|bot)${SPACE}${QUOTES})?([^\s"',;\\<>]+)`,
  'gi',
);
const BEARER = new RegExp(String.raw`\b(bearer${SPACE}${QUOTES})([^\s"',;\\<>]+)`, 'gi');
const BASIC = /\b(basic(?:\s|%20){1,4})([A-Za-z0-9+/_-]{6,}={0,2})/gi;
const AWS_SECRET =
  /((?:aws_?)?secret_?access_?key["'\\]{0,4}\s{0,4}[:=]\s{0,4}["'\\]{0,4})([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])/gi;
const USER_PASSWORD = /(:\/\/[^\s/?#"':@]{0,256}:)([^\s/?#"'@]{1,256})(?=@)/g;

/** A fast check that excludes most texts, because an error can contain a million short ones. */
const ANY_FORMAT =
  /gh[pousr]_|_pat_|gl[a-z]{2,4}-|xox|xapp-|A[KS]IA|AIza|ya29|GOCSPX|npm_|pypi-|hf_|k_live|k_test|whsec_|SG\.|_v1_|shp|_oat_|hv[sbr]\.|lin_|gsk_|ntn_|glsa_|sbp_|r8_|xai-|sk-|eyJ|bearer|basic|authorization|-key|-token|access_?key|:\/\//i;

/**
 * Masks tokens in well-known formats, including tokens that Portolan has never seen. Words, file paths, UUIDs and
 * hashes stay, so that error messages remain readable.
 */
export function maskTokens(text: string): string {
  if (!ANY_FORMAT.test(text)) return text;
  return text
    .replaceAll(HEADER, (whole: string, head: string, scheme: string | undefined, value: string) =>
      (scheme === undefined ? isWord(value) : isAboutTokens(value)) ? whole : `${head}${scheme ?? ''}${MASK}`,
    )
    .replaceAll(BEARER, (whole: string, head: string, value: string) => (isWord(value) ? whole : `${head}${MASK}`))
    .replaceAll(BASIC, (whole: string, head: string, value: string) =>
      isUserPassword(value) ? `${head}${MASK}` : whole,
    )
    .replaceAll(AWS_SECRET, (_, head: string) => `${head}${MASK}`)
    .replaceAll(USER_PASSWORD, (_, head: string) => `${head}${MASK}`)
    .replaceAll(JWT, (token) => (token.split('.').length > LEAST_JWT_DOTS ? MASK : token))
    .replaceAll(PREFIXED_TOKEN, MASK)
    .replaceAll(DOUBTFUL_TOKEN, (token) => (looksRandom(token) ? MASK : token));
}

const LONGEST_WORD = 20;
const WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_](?:[A-Z]?[a-z]+|[A-Z]+)){0,3}$/;
const CHALLENGE = /^(?:realm|error|error_description|scope|resource_metadata)=/i;
const LONGEST_REFERENCE = 100;

/** A word, a reference such as `${TOKEN}`, a parameter of a challenge such as `realm=…`, or an already masked value. */
function isWord(value: string): boolean {
  if (CHALLENGE.test(value) || isHidden(value)) return true;
  const bare = withoutPunctuation(value);
  return bare.length <= LONGEST_WORD && (bare === '' || WORD.test(bare));
}

/** After a header and a scheme every value is a token, except for words that describe tokens. */
function isAboutTokens(value: string): boolean {
  const bare = withoutPunctuation(value).toLowerCase();
  return (
    CHALLENGE.test(value) ||
    isHidden(value) ||
    /^(?:|tokens?|auth|authentication|authorization|scheme|header|credentials?|required|missing|invalid|expired)$/.test(
      bare,
    )
  );
}

function isHidden(value: string): boolean {
  if (value.length > LONGEST_REFERENCE) return false;
  return isReference(value) || /^(?:\[secret\]|\[redacted\]|[*…]{3})/i.test(value);
}

function withoutPunctuation(value: string): string {
  return value.length > LONGEST_REFERENCE ? value : value.replace(/[.:!?)\]}`]+$/, '');
}

/** Returns whether the value after `Basic` is a user and password in base64, as opposed to a word. */
function isUserPassword(value: string): boolean {
  const text = Buffer.from(value, 'base64').toString('utf8');
  return /^[^\x00-\x1f\x7f\ufffd]*$/.test(text) && text.includes(':');
}

const LEAST_RANDOM_CHARACTERS = 6;
const LONGEST_PART = 20;

/** Returns whether a part contains a digit or is longer than a word. */
function looksRandom(token: string): boolean {
  return token
    .split(/[-_.]/)
    .some((part) => part.length >= LONGEST_PART || (part.length >= LEAST_RANDOM_CHARACTERS && /\d/.test(part)));
}
