/** What stands in the place of a value that must not be shown. */
export const MASK = '[secret]';

const SECRET_NAME = /key|token|secret|password|passwd|credential|authorization/i;
const SECRET_PREFIX = /(?:ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|sk-|xox[a-z]-|xapp-|AKIA|AIza|npm_|hf_)[\w-]{6,}/;

/** True for the name of a variable, flag or query parameter whose value is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** True for text that has a token of a well-known form in it, whatever it is called. */
export function looksSecret(text: string): boolean {
  return SECRET_PREFIX.test(text);
}

/** The URL without the user, password and secret query values in it; text that is no URL loses what looks secret. */
export function maskUrl(url: string): string {
  const masked = url
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${MASK}@`)
    .replaceAll(/([?&;]([^=&;#]*)=)([^&;#]*)/g, (whole, head: string, name: string) =>
      isSecretName(safeDecode(name)) ? `${head}${MASK}` : whole,
    );
  return maskText(masked);
}

/** The text with each token of a well-known form replaced. */
export function maskText(text: string): string {
  return text.replaceAll(new RegExp(SECRET_PREFIX, 'g'), MASK);
}

/** Arguments with the value after (or within) a secret flag replaced: `--api-key x`, `--token=x`, `-H 'Authorization: x'`. */
export function maskArgs(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const before = args[index - 1] ?? '';
    if (/^--?[\w-]+$/.test(before) && isSecretName(before) && !arg.startsWith('--')) return MASK;
    const joined = /^(--?[\w.-]+=|[A-Za-z_]\w*=|[\w-]+:\s*)([\s\S]+)$/.exec(arg);
    if (joined?.[1] && isSecretName(joined[1])) return `${joined[1]}${MASK}`;
    return maskUrl(arg);
  });
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
