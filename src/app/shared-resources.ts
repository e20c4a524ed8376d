import { type AuditLog, openAuditLog } from '../audit/index.js';
import type { Log } from '../base/index.js';
import type { OwnFolders } from '../discovery/index.js';
import { CallGate, CallMetrics, type UsesFolder, usesFolder } from '../gateway/index.js';
import { openSandbox, type Sandbox } from '../sandbox/index.js';
import { DEFAULTS } from '../settings/index.js';
import { type Guardian, SharedPool, startGuardian } from '../upstream/index.js';
import { installedModel } from '../use-cases/index.js';
import type { SearchModel } from './open-model.js';

/** The resources that all workspaces of a process share: server processes, their watchers, limits and the audit log. */
export interface SharedResources extends AsyncDisposable {
  readonly pool: SharedPool;
  /** Shared, because the capacity of a client or server does not depend on the number of workspaces. */
  readonly gate: CallGate;
  /** The metrics of all calls. */
  readonly calls: CallMetrics;
  /** One writer per directory, because the log is a hash chain. */
  auditIn(folders: OwnFolders): AuditLog;
  guardianIn(folders: OwnFolders): Guardian;
  /** One writer per directory. */
  usesIn(folders: OwnFolders): UsesFolder;
  /** The model for search, if the user has installed it; one process for all workspaces. */
  modelIn(folders: OwnFolders): Promise<SearchModel | undefined>;
  /** One sandbox per engine, so that its process limits hold across workspaces. */
  sandboxIn(folders: OwnFolders, wish: { readonly engine: string; readonly image?: string }): Sandbox;
}

export function openShared(log: Log): SharedResources {
  const warn = (message: string) => log('warn', message);
  const pool = new SharedPool({ log });
  const calls = new CallMetrics();
  const audits = new Map<string, AuditLog>();
  const guardians = new Map<string, Guardian>();
  const uses = new Map<string, UsesFolder>();
  const sandboxes = new Map<string, Sandbox>();
  const models = new Map<string, SearchModel>();
  return {
    pool,
    gate: new CallGate(() => DEFAULTS.limits),
    calls,
    usesIn: ({ state }) => once(uses, state, () => usesFolder(state, log)),
    modelIn: async ({ state, cache }) => {
      const folder = installedModel(state);
      if (folder === undefined) return undefined;
      const { openModel } = await import('./open-model.js');
      return once(models, folder, () => openModel(folder, cache, log));
    },
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
        [...guardians.values(), ...audits.values(), ...uses.values(), ...models.values()].map((one) =>
          one[Symbol.asyncDispose](),
        ),
      );
    },
  };
}

/** An audit log that also counts each call in the metrics. */
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
