import type { Log } from '../base/index.js';
import { type AuditLog, openAuditLog } from '../gateway/index.js';
import { type Guardian, SharedPool, startGuardian } from '../upstream/index.js';
import type { OwnFolders } from './folders.js';

/** What all workspaces of one process have in common: the processes of servers, who watches over them, and the record of calls. */
export interface Shared extends AsyncDisposable {
  readonly pool: SharedPool;
  /** One writer for each folder: the record is a chain. */
  auditIn(folders: OwnFolders): AuditLog;
  guardianIn(folders: OwnFolders): Guardian;
}

export function openShared(log: Log): Shared {
  const warn = (message: string) => log('warn', message);
  const pool = new SharedPool({ log });
  const audits = new Map<string, AuditLog>();
  const guardians = new Map<string, Guardian>();
  return {
    pool,
    auditIn: ({ audit }) => once(audits, audit, () => openAuditLog({ folder: audit, warn })),
    guardianIn: ({ children }) => once(guardians, children, () => startGuardian({ folder: children, onProblem: warn })),
    [Symbol.asyncDispose]: async () => {
      await pool[Symbol.asyncDispose]();
      await Promise.all([...guardians.values(), ...audits.values()].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

function once<T>(made: Map<string, T>, folder: string, make: () => T): T {
  const known = made.get(folder);
  if (known !== undefined) return known;
  const one = make();
  made.set(folder, one);
  return one;
}
