import { randomBytes } from 'node:crypto';

/** A random secret that is easy to find in any output. */
const canary = (): string => `canary${randomBytes(12).toString('hex')}`;

export const canaries = (count: number): string[] => Array.from({ length: count }, canary);

export const canariesIn = (text: string): string[] => [...new Set(text.match(/canary[0-9a-f]{24}/g) ?? [])];

/** Names of real secrets, and some similar to variables that a child process receives. */
const ALLURING = [
  'AWS_SECRET_ACCESS_KEY',
  'GITHUB_TOKEN',
  'NPM_TOKEN',
  'PATH_TOKEN',
  'HOMEBREW_TOKEN',
  'LANGSMITH_KEY',
];

/** Environment variables with these secrets. */
export const asVariables = (secrets: readonly string[]): Record<string, string> =>
  Object.fromEntries(secrets.map((value, n) => [ALLURING[n] ?? `GATEWAY_SECRET_${n}`, value]));
