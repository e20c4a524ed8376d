import { shellWord } from '../../base/index.js';
import type { ServerScope } from '../../use-cases/index.js';
import { type Command, usageError } from './command.js';

const SCOPES: readonly ServerScope[] = ['user', 'project'];

export const SCOPE_OPTION = {
  scope: {
    type: 'string',
    value: ['user', 'project'],
    about: "user: Portolan's own file; project: the .mcp.json of the project",
  },
} as const;

export function scopeOf(written: string | undefined, command: Command): ServerScope {
  if (written === undefined) return 'user';
  const scope = SCOPES.find((known) => known === written);
  if (scope) return scope;
  throw usageError(command, `needs user or project after --scope, not "${written}"`);
}

/** Notes to print after a server was added to a project. */
export function notesFor(name: string, entry: Readonly<Record<string, unknown>>): string[] {
  const values = [entry.env, entry.headers].flatMap((map) => Object.values(map ?? {}).map(String));
  const isOpen = values.some((value) => !value.includes('${'));
  return [
    `Servers of a project run only after approval: portolan approve ${shellWord(name)}`,
    ...(isOpen
      ? ['Everyone in the project can read this file: write a secret as ${NAME}, a reference to a variable.']
      : []),
  ];
}
