import { isAbsolute } from 'node:path';
import { sha256, wildcard } from '../../base/index.js';
import type { Definition } from '../../model/index.js';
import { type AdmittedServer, fingerprint } from '../../policy/index.js';

/** Which clients share a running server: all, those of the same workspace, or none. */
export type Share = 'machine' | 'workspace' | 'session';

export interface Sharing {
  readonly share: Share;
  /** Set in the settings, so the behaviour of the server does not change it. */
  readonly isConfigured: boolean;
}

/** A reference to the workspace directory, in the syntax of any client. */
const WORKSPACE_REFERENCE = /\$\{?\{?(?:workspace|project|cwd|PWD\b|CLAUDE_PROJECT_DIR)/i;

/** Cached per definition, because every call needs it. */
const references = new WeakMap<Definition, boolean>();

function namesWorkspace(definition: Definition): boolean {
  const known = references.get(definition);
  if (known !== undefined) return known;
  const found = WORKSPACE_REFERENCE.test(JSON.stringify(definition.written));
  references.set(definition, found);
  return found;
}

/** The default sharing: by workspace if the server depends on the workspace, otherwise by all clients. */
export function usualShare(definition: Definition, asksForRoots: boolean): Share {
  const { transport, scope, cwd, envFile, headersHelper } = definition;
  // It runs inside the program that uses the library.
  if (transport === 'sdk') return 'workspace';
  if (asksForRoots || namesWorkspace(definition)) return 'workspace';
  // Relative paths of a helper or an env file depend on the workspace.
  if (headersHelper !== undefined || (envFile !== undefined && !isAbsolute(envFile))) return 'workspace';
  const isProject = scope === 'project' || scope === 'local';
  const isHere = cwd === undefined || !isAbsolute(cwd);
  return isProject && transport === 'stdio' && isHere ? 'workspace' : 'machine';
}

/** The hash is cached per definition, because every call needs it. */
const hashes = new WeakMap<Definition, string>();

/**
 * Identifies a process or connection, independent of its name: the hashed definition and the variables passed from the
 * client.
 */
export function launchKey({ definition }: AdmittedServer, passed: string): string {
  const known = hashes.get(definition);
  const hash = known ?? hashOf(definition);
  if (known === undefined) hashes.set(definition, hash);
  return `${hash} ${passed}`;
}

function hashOf(definition: Definition): string {
  const { transport, authToken, oauth, id } = definition;
  const beside = [transport, authToken, oauth, id].map((one) => one ?? null);
  return `${fingerprint(definition)} ${sha256(JSON.stringify(beside)).slice(0, 16)}`;
}

export interface PassedEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly passEnv: readonly string[];
  readonly connectorToken: string | undefined;
}

/** Hashes the passed variables of the client, because clients with different values must not share a server. */
export function passedKey({ env, passEnv, connectorToken = '' }: PassedEnvironment): string {
  if (passEnv.length === 0 && connectorToken === '') return '';
  const patterns = passEnv.map((pattern) => wildcard(pattern));
  const passed = Object.entries(env)
    .filter(([name]) => patterns.some((matches) => matches(name)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([passed, connectorToken])).slice(0, 16);
}
