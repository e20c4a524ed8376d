import { type AuditLog, openAuditLog } from '../audit/index.js';
import type { Log } from '../base/index.js';
import type { OwnFolders } from '../discovery/index.js';
import { CallGate, CallMetrics } from '../gateway/index.js';
import { openSandbox, type Sandbox } from '../sandbox/index.js';
import { DEFAULTS } from '../settings/index.js';
import { type Guardian, SharedPool, startGuardian } from '../upstream/index.js';
import { type UsesFile, usesFile } from './usage-file.js';

/** What all workspaces of one process have in common: the processes of servers, who watches over them, and the record of calls. */
export interface SharedResources extends AsyncDisposable {
  readonly pool: SharedPool;
  /** One for all: what a client or a server can take does not depend on how many workspaces there are. */
  readonly gate: CallGate;
  /** What all calls together were like. */
  readonly calls: CallMetrics;
  /** One writer for each folder: the record is a chain. */
  auditIn(folders: OwnFolders): AuditLog;
  guardianIn(folders: OwnFolders): Guardian;
  /** One writer for each folder here too. */
  usesIn(folders: OwnFolders): UsesFile;
  /** One for each engine that somebody asks for, so that its limits of processes hold for everybody together. */
  sandboxIn(folders: OwnFolders, wish: { readonly engine: string; readonly image?: string }): Sandbox;
}

export function openShared(log: Log): SharedResources {
  const warn = (message: string) => log('warn', message);
  const pool = new SharedPool({ log });
  const calls = new CallMetrics();
  const audits = new Map<string, AuditLog>();
  const guardians = new Map<string, Guardian>();
  const uses = new Map<string, UsesFile>();
  const sandboxes = new Map<string, Sandbox>();
  return {
    pool,
    gate: new CallGate(() => DEFAULTS.limits),
    calls,
    usesIn: ({ state }) => once(uses, state, () => usesFile(state, log)),
    auditIn: ({ audit }) => once(audits, audit, () => counted(openAuditLog({ folder: audit, warn }), calls)),
    guardianIn: ({ children }) => once(guardians, children, () => startGuardian({ folder: children, onProblem: warn })),
    sandboxIn: ({ sandbox: folder }, { engine, image }) => {
      const options = { folder, engine, log, ...(image !== undefined && { image }) };
      return once(sandboxes, JSON.stringify([folder, engine, image]), () => openSandbox(options));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...sandboxes.values()].map((one) => one[Symbol.asyncDispose]()));
      await pool[Symbol.asyncDispose]();
      await Promise.all(
        [...guardians.values(), ...audits.values(), ...uses.values()].map((one) => one[Symbol.asyncDispose]()),
      );
    },
  };
}

/** What is recorded is counted. */
function counted(log: AuditLog, calls: CallMetrics): AuditLog {
  return {
    record: (execution) => {
      calls.record(execution);
      log.record(execution);
    },
    [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
  };
}

function once<T>(made: Map<string, T>, folder: string, make: () => T): T {
  const known = made.get(folder);
  if (known !== undefined) return known;
  const one = make();
  made.set(folder, one);
  return one;
}
