import { isAbsolute } from 'node:path';
import { sha256, wildcard } from '../../base/index.js';
import type { Definition } from '../../model/index.js';
import { type AdmittedServer, fingerprint } from '../../policy/index.js';

/** With whom a running server is shared: with all, with clients that work in the same place, or with nobody. */
export type Share = 'machine' | 'workspace' | 'session';

export interface Sharing {
  readonly share: Share;
  /** Somebody has set it: what the server does changes nothing. */
  readonly isSaid: boolean;
}

/** A reference to the place where a client works, in the words of any client. */
const WORKSPACE_REFERENCE = /\$\{?\{?(?:workspace|project|cwd|PWD\b|CLAUDE_PROJECT_DIR)/i;

/** Looked for once for each definition: a call asks for it. */
const references = new WeakMap<Definition, boolean>();

function namesWorkspace(definition: Definition): boolean {
  const known = references.get(definition);
  if (known !== undefined) return known;
  const found = WORKSPACE_REFERENCE.test(JSON.stringify(definition.written));
  references.set(definition, found);
  return found;
}

/** With whom a server may be shared where nobody has said it: not with those who work elsewhere if that makes it another. */
export function usualShare(definition: Definition, asksForRoots: boolean): Share {
  const { transport, scope, cwd, envFile, headersHelper } = definition;
  // It lives in the program of whoever brought it.
  if (transport === 'sdk') return 'workspace';
  if (asksForRoots || namesWorkspace(definition)) return 'workspace';
  // A helper and a file of variables are found from where the client works.
  if (headersHelper !== undefined || (envFile !== undefined && !isAbsolute(envFile))) return 'workspace';
  const isProject = scope === 'project' || scope === 'local';
  const isHere = cwd === undefined || !isAbsolute(cwd);
  return isProject && transport === 'stdio' && isHere ? 'workspace' : 'machine';
}

/** Hashed once for each definition: a call asks for it. */
const prints = new WeakMap<Definition, string>();

/** What is started or reached, under whatever name, and with which of the client's variables that are not everybody's. */
export function launchKey({ definition }: AdmittedServer, passed: string): string {
  const known = prints.get(definition);
  const print = known ?? printOf(definition);
  if (known === undefined) prints.set(definition, print);
  return `${print} ${passed}`;
}

function printOf(definition: Definition): string {
  const { transport, authToken, oauth, id } = definition;
  const beside = [transport, authToken, oauth, id].map((one) => one ?? null);
  return `${fingerprint(definition)} ${sha256(JSON.stringify(beside)).slice(0, 16)}`;
}

export interface PassedEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly passEnv: readonly string[];
  readonly connectorToken: string | undefined;
}

/** What servers are given of the client's variables beyond what all programs are: who has other values must not use what was started with these. */
export function passedKey({ env, passEnv, connectorToken = '' }: PassedEnvironment): string {
  if (passEnv.length === 0 && connectorToken === '') return '';
  const patterns = passEnv.map((pattern) => wildcard(pattern));
  const passed = Object.entries(env)
    .filter(([name]) => patterns.some((matches) => matches(name)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([passed, connectorToken])).slice(0, 16);
}
