import { randomBytes } from 'node:crypto';

/** A secret that is found again wherever it turns up. */
const canary = (): string => `canary${randomBytes(12).toString('hex')}`;

export const canaries = (count: number): string[] => Array.from({ length: count }, canary);

export const canariesIn = (text: string): string[] => [...new Set(text.match(/canary[0-9a-f]{24}/g) ?? [])];

/** Names of the kind that real secrets have, and some that look like what a child is given. */
const ALLURING = [
  'AWS_SECRET_ACCESS_KEY',
  'GITHUB_TOKEN',
  'NPM_TOKEN',
  'PATH_TOKEN',
  'HOMEBREW_TOKEN',
  'LANGSMITH_KEY',
];

/** Secrets as the environment of a process has them. */
export const asVariables = (secrets: readonly string[]): Record<string, string> =>
  Object.fromEntries(secrets.map((value, n) => [ALLURING[n] ?? `GATEWAY_SECRET_${n}`, value]));
