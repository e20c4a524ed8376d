import type { Client, Place } from './client.js';
import type { Dialect, Draft } from './dialect.js';
import { none } from './expansion.js';
import { type Fields, field, optionalString } from './fields.js';
import { under } from './find-entries.js';
import type { ProblemDraft } from './problem-draft.js';

/** A server that announced itself as running, and its URL if it has one. */
export interface AnnouncedServer {
  readonly name: string;
  /** Distinguishes servers of the same name. */
  readonly id: string;
  readonly type?: 'http' | 'sse' | 'ws' | 'socket' | 'auto';
  readonly url?: string;
  /** The fingerprint of the launch that the server claims to come from. */
  readonly fingerprint?: string;
}

/** A registry file and the running servers that it lists. */
export interface Announcements {
  readonly source: string;
  readonly servers: readonly AnnouncedServer[];
}

/** The running servers. Any process that can write the file can announce one, so each needs approval. */
export function runningServers(found: readonly Announcements[]): Client {
  return {
    id: 'running',
    name: 'Running servers',
    places: found.map(
      ({ source, servers }): Place => ({
        scope: 'running',
        path: [],
        format: 'json',
        find: under('servers'),
        dialect: announcedDialect,
        expansion: none,
        precedence: 0,
        state: 'pending-approval',
        given: { source, text: JSON.stringify({ servers }) },
      }),
    ),
  };
}

const announcedDialect: Dialect = (entry) => {
  const [url, standsFor] = [optionalString(entry, 'url'), optionalString(entry, 'fingerprint')];
  const common = { enabled: true, ...(standsFor !== undefined && { standsFor }) };
  if (url !== undefined) return { ...common, transport: transportOf(entry), url, problems: [] };
  const id = optionalString(entry, 'id') ?? '';
  return { ...common, transport: 'stdio', id, state: 'inventory-only', problems: [UNREACHABLE] };
};

function transportOf(entry: Fields): Draft['transport'] {
  const type = field(entry, 'type');
  return type === 'http' || type === 'sse' || type === 'ws' || type === 'socket' ? type : 'auto';
}

const UNREACHABLE: ProblemDraft = {
  code: 'running-unreachable',
  severity: 'info',
  message: 'this server runs, but only the program that started it can connect to it',
  hint: 'start it with an HTTP listener, or let Portolan start a separate process: portolan add',
};
