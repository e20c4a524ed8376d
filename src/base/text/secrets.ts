/** What stands in the place of a value that must not be shown. */
export const MASK = '[secret]';

const SECRET_NAME =
  /key|token|secret|password|passwd|passphrase|credential|authorization|bearer|(?:^|[^a-z])(?:pass|pwd|pat)$/i;
/** Words that have a secret's name in them by chance. */
const ORDINARY_WORD =
  /(?:mon|don|tur|hoc|joc|whis)keys?|key(?:boards?|words?|notes?|maps?|spaces?|frames?|strokes?|pads?|stone|cloak)|tokeni[sz]\w*/gi;
/** `PWD` is the folder one is in; only with a word before it is it a password. */
const FOLDER_NAME = /^-*(?:OLD)?PWD$/i;
/** A name that says where or how to get a secret, not what it is. */
const ABOUT_A_SECRET = /(?:url|uri|endpoint|method|type|file)s?$/i;
const SECRET_PREFIX =
  /(?<![A-Za-z0-9])(?:(?:gh[pousr]_|github_pat_|glpat-)[\w-]+|(?<![\w-])sk-[\w-]{3,}|xox[a-z]-[\w-]+|xapp-[\w-]{6,}|AKIA[0-9A-Z]{12,}|AIza[\w-]{20,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]*)/;
const EVERY_SECRET_PREFIX = new RegExp(SECRET_PREFIX, 'g');

/** True for the name of a variable, flag or query parameter whose value is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replaceAll(ORDINARY_WORD, '')) && !FOLDER_NAME.test(name);
}

/** The same for a field of an `oauth` map, where half the names speak of tokens. */
export function isSecretField(name: string): boolean {
  return isSecretName(name) && !ABOUT_A_SECRET.test(name);
}

/** True for text that has a token of a well-known form in it, whatever it is called. */
export function looksSecret(text: string): boolean {
  return SECRET_PREFIX.test(text);
}

/** Whether references such as `${TOKEN}` may be seen: in what a file says they tell where a secret comes from. */
export type References = 'shown' | 'hidden';

/** Names of variables are in capitals where nothing else marks them: a password may begin with a dollar. */
const REFERENCE =
  /^(?:\$\{\{? ?[\w:.~/\\@-]+ ?\}?\}|\{(?:env|file):[^{}]+\}|\{\{[^{}]+\}\}|\$env:\w+|\$[A-Z_][A-Z0-9_]*|%[A-Za-z_]\w*%)$/;

/** True for nothing but a reference, perhaps with the name of a scheme before it. One with a default gives that away. */
export function isReference(text: string): boolean {
  return !text.includes(':-') && REFERENCE.test(text.replace(/^(?:bearer|basic|token)\s+/i, ''));
}

/** The URL without the user, password and secret query values in it; text that is no URL loses what looks secret. */
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

/** What a reference to a secret falls back to is one, too. */
const SECRET_DEFAULT = /(\{(?:env:)?([A-Za-z_]\w*):-)[^{}]+/g;

/** The text with each token of a well-known form replaced. */
export function maskText(text: string): string {
  return text
    .replaceAll(SECRET_DEFAULT, (whole: string, head: string, name: string) =>
      isSecretName(name) ? `${head}${MASK}` : whole,
    )
    .replaceAll(EVERY_SECRET_PREFIX, MASK)
    .replaceAll(/\b(bearer +)([^\s"',;]+)/gi, (_, head: string, value: string) => `${head}${hide(value, 'shown')}`);
}

/** Arguments with the value after (or within) a secret flag replaced: `--api-key x`, `--token=x`, `-H 'Authorization: x'`. */
export function maskArgs(args: readonly string[], references: References = 'hidden'): string[] {
  return args.map((arg, index) => {
    const before = args[index - 1] ?? '';
    if (/^--?[\w-]+$/.test(before) && isSecretName(before) && !arg.startsWith('--')) return hide(arg, references);
    return maskArg(arg, references);
  });
}

/** Nobody writes names within names within names; a hostile file might, without end. */
const MAX_NAMES_WITHIN = 4;

function maskArg(arg: string, references: References, names = MAX_NAMES_WITHIN): string {
  const [, name = '', value = ''] = /^(--?[\w.-]+=|[A-Za-z_]\w*=|[\w-]+:\s*)([\s\S]+)$/.exec(arg) ?? [];
  if (isSecretName(name.replace(/[=:]\s*$/, ''))) return `${name}${hide(value, references)}`;
  // `--header=Authorization: x` and `--env=KEY=x` have a name within a value.
  if (name.endsWith('=') && names > 0) return `${name}${maskArg(value, references, names - 1)}`;
  return /\s/.test(arg) ? maskCommandLine(arg) : maskUrl(maskJson(arg), references);
}

/** A whole command line in one text, as shells and helpers get it; a shell's own references stay. */
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

/** Members with a secret's name in JSON that is handed over as one argument. */
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
