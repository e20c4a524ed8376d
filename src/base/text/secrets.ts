/** Replaces a value that must not be shown. */
export const MASK = '[secret]';

const SECRET_NAME =
  /key|token|secret|password|passwd|passphrase|credential|authorization|bearer|(?:^|[^a-z])(?:pass|pwd|pat)$/i;
/** Words that contain the name of a secret by chance. */
const ORDINARY_WORD =
  /(?:mon|don|tur|hoc|joc|whis)keys?|key(?:boards?|words?|notes?|maps?|spaces?|frames?|strokes?|pads?|stone|cloak)|tokeni[sz]\w*/gi;
/** `PWD` is the working directory; it means a password only with a word before it. */
const FOLDER_NAME = /^-*(?:OLD)?PWD$/i;
/** A name that describes where or how to get a secret. */
const ABOUT_A_SECRET = /(?:url|uri|endpoint|method|type|file)s?$/i;
const SECRET_PREFIX =
  /(?<![A-Za-z0-9])(?:(?:gh[pousr]_|github_pat_|glpat-)[\w-]+|(?<![\w-])sk-[\w-]{3,}|xox[a-z]-[\w-]+|xapp-[\w-]{6,}|AKIA[0-9A-Z]{12,}|AIza[\w-]{20,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]*)/;
const EVERY_SECRET_PREFIX = new RegExp(SECRET_PREFIX, 'g');

/** Returns whether a variable, flag or query parameter of this name contains a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replaceAll(ORDINARY_WORD, '')) && !FOLDER_NAME.test(name);
}

/** The same for a field of an `oauth` object, where ordinary names contain "token" as well. */
export function isSecretField(name: string): boolean {
  return isSecretName(name) && !ABOUT_A_SECRET.test(name);
}

/** Returns whether the text contains a token in a well-known format. */
export function looksSecret(text: string): boolean {
  return SECRET_PREFIX.test(text);
}

/** Whether references such as `${TOKEN}` may be shown: in a configuration file they name the source of a secret. */
export type References = 'shown' | 'hidden';

/** A bare `$NAME` must be in capitals, because a password may begin with a dollar sign. */
const REFERENCE =
  /^(?:\$\{\{? ?[\w:.~/\\@-]+ ?\}?\}|\{(?:env|file):[^{}]+\}|\{\{[^{}]+\}\}|\$env:\w+|\$[A-Z_][A-Z0-9_]*|%[A-Za-z_]\w*%)$/;

/**
 * Returns whether the text is only a reference, possibly after a scheme such as `Bearer`. A default inside a reference
 * is not protected by it.
 */
export function isReference(text: string): boolean {
  return !text.includes(':-') && REFERENCE.test(text.replace(/^(?:bearer|basic|token)\s+/i, ''));
}

/**
 * The URL without user, password and secret query values. In text that is not a URL, secret-looking parts are masked.
 */
export function maskUrl(url: string, references: References = 'hidden'): string {
  const masked = url
    .replaceAll(/(?<=:\/\/)[^\s/?#"']*@/g, `${MASK}@`)
    .replaceAll(/([?&;]([^=&;#?\s]*)=)([^&;#\s"']*)/g, (whole, head: string, name: string, value: string) =>
      isSecretQuery(safeDecode(name)) ? `${head}${hide(value, references)}` : whole,
    );
  return maskText(masked);
}

function isSecretQuery(name: string): boolean {
  return isSecretName(name) || /^(?:auth|sig|signature)$/i.test(name);
}

/** The default value of a reference to a secret is a secret as well. */
const SECRET_DEFAULT = /(\{(?:env:)?([A-Za-z_]\w*):-)[^{}]+/g;

/** Masks each token in a well-known format. */
export function maskText(text: string): string {
  return text
    .replaceAll(SECRET_DEFAULT, (whole: string, head: string, name: string) =>
      isSecretName(name) ? `${head}${MASK}` : whole,
    )
    .replaceAll(EVERY_SECRET_PREFIX, MASK)
    .replaceAll(/\b(bearer +)([^\s"',;]+)/gi, (_, head: string, value: string) => `${head}${hide(value, 'shown')}`);
}

/** Masks the value after (or inside) a secret flag: `--api-key x`, `--token=x`, `-H 'Authorization: x'`. */
export function maskArgs(args: readonly string[], references: References = 'hidden'): string[] {
  return args.map((arg, index) => {
    const before = args[index - 1] ?? '';
    if (/^--?[\w-]+$/.test(before) && isSecretName(before) && !arg.startsWith('--')) return hide(arg, references);
    return maskArg(arg, references);
  });
}

/** Limits nested names, which only a hostile file contains. */
const MAX_NAMES_WITHIN = 4;

function maskArg(arg: string, references: References, names = MAX_NAMES_WITHIN): string {
  const [, name = '', value = ''] = /^(--?[\w.-]+=|[A-Za-z_]\w*=|[\w-]+:\s*)([\s\S]+)$/.exec(arg) ?? [];
  if (isSecretName(name.replace(/[=:]\s*$/, ''))) return `${name}${hide(value, references)}`;
  // `--header=Authorization: x` and `--env=KEY=x` contain a name inside the value.
  if (name.endsWith('=') && names > 0) return `${name}${maskArg(value, references, names - 1)}`;
  return /\s/.test(arg) ? maskCommandLine(arg) : maskUrl(maskJson(arg), references);
}

/** Masks a complete command line, as passed to shells and helpers. References of the shell stay. */
export function maskCommandLine(line: string): string {
  const hideNamed = (whole: string, head: string, value: string) =>
    isSecretName(head.replace(/[\s=:]+$/, '')) && !/^(?:--|bearer$)/i.test(value)
      ? `${head}${hide(value, 'shown')}`
      : whole;
  const named = maskJson(line).replaceAll(FLAG_VALUES, hideNamed).replaceAll(ASSIGNED_VALUES, hideNamed);
  return maskUrl(named, 'shown');
}

const VALUE = String.raw`("[^"]*"|'[^']*'|[^\s"';&|]+)`;
const FLAG_VALUES = new RegExp(String.raw`(?<![\w-])(--?[A-Za-z][\w-]*(?:\s+|=))${VALUE}`, 'g');
const ASSIGNED_VALUES = new RegExp(String.raw`(?<![\w-])([A-Za-z_]\w*=|[A-Za-z][\w-]*:\s*)${VALUE}`, 'g');

/** Masks members with a secret's name in JSON that is passed as one argument. */
function maskJson(text: string): string {
  return text.replaceAll(
    /(\\{0,3}"([^"\\]*)\\{0,3}"\s*:\s*\\{0,3}")([^"\\]+)/g,
    (whole, head: string, name: string, value: string) =>
      isSecretName(name) ? `${head}${hide(value, 'shown')}` : whole,
  );
}

function hide(value: string, references: References): string {
  return references === 'shown' && isReference(value.replaceAll(/^["']|["']$/g, '')) ? value : MASK;
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
