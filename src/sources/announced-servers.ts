import type { Client, Place } from './client.js';
import type { Dialect, Draft } from './dialect.js';
import { none } from './expansion.js';
import { type Fields, field, optionalString } from './fields.js';
import { under } from './find-entries.js';
import type { ProblemDraft } from './problem-draft.js';

/** A server that said of itself that it runs, and how it can be reached, if it can. */
export interface AnnouncedServer {
  readonly name: string;
  /** What tells it from others of its name. */
  readonly id: string;
  readonly type?: 'http' | 'sse' | 'ws' | 'socket' | 'auto';
  readonly url?: string;
  /** The fingerprint of the launch that it says it came from. */
  readonly fingerprint?: string;
}

/** Where servers were announced, and which of them run now. */
export interface Announcements {
  readonly source: string;
  readonly servers: readonly AnnouncedServer[];
}

/** Servers that run now. Whoever can write a file can announce one: each waits for a person's yes. */
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
  message: 'it runs, but only the program that started it can speak to it',
  hint: 'start it so that it listens on HTTP, or let Portolan start one of its own: portolan add',
};
