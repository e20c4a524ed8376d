import { ErrorCode, PortolanError, shellWord } from '../../base/index.js';
import type { ServerScope } from '../../use-cases/index.js';

const SCOPES: readonly ServerScope[] = ['user', 'project'];

export const SCOPE_OPTION = {
  scope: {
    type: 'string',
    value: ['user', 'project'],
    about: "user: Portolan's own file; project: the .mcp.json that everyone in the project shares",
  },
} as const;

export function scopeOf(written: string | undefined, usage: string): ServerScope {
  if (written === undefined) return 'user';
  const scope = SCOPES.find((known) => known === written);
  if (scope) return scope;
  throw new PortolanError(ErrorCode.Usage, `--scope is user or project, not ${written}`, { hint: `usage: ${usage}` });
}

/** What a person should know who has added a server for everyone in a project. */
export function notesFor(name: string, entry: Readonly<Record<string, unknown>>): string[] {
  const values = [entry.env, entry.headers].flatMap((map) => Object.values(map ?? {}).map(String));
  const isOpen = values.some((value) => !value.includes('${'));
  return [
    `It runs once you approve it, as everything in a project does: portolan approve ${shellWord(name)}`,
    ...(isOpen
      ? ['Everyone in the project can read this file: write a secret as ${NAME}, the name of a variable.']
      : []),
  ];
}
