import { daemonLocation } from '../../app/index.js';
import { isObject } from '../../base/index.js';
import { askDaemon } from '../../bridge/index.js';
import type { DiscoverOptions } from '../../discovery/index.js';
import { memoryOf } from '../../use-cases/index.js';
import type { Io } from '../runtime/command.js';
import { type Cell, plural, table, visible } from '../runtime/terminal-text.js';

/** A server process or connection of the daemon. */
export interface SharedProcess {
  readonly server: string;
  readonly state: string;
  readonly pid?: number;
  /** The protocol era in which it was initialized. */
  readonly era?: string;
  /** The clients that have called it since it started. */
  readonly users: readonly { readonly id: string; readonly name?: string }[];
  readonly workspaces: number;
  readonly calls: number;
  /** Of the process and its descendants. */
  readonly memoryBytes?: number;
  /** The additional processes if each user ran its own. */
  readonly savedProcesses: number;
  readonly savedBytes?: number;
}

const HEAD = ['SERVER', 'PID', 'STATE', 'USED BY', 'CALLS', 'MEMORY', 'SAVES'];
const MEGABYTE = 1024 * 1024;

/** The processes of the daemon; undefined if no daemon runs. */
export async function sharedProcesses(machine: DiscoverOptions): Promise<readonly SharedProcess[] | undefined> {
  const { socket } = await daemonLocation(machine);
  const status = await askDaemon(socket, 'bridge/status');
  if (status === undefined) return undefined;
  const rows = isObject(status) && Array.isArray(status.processes) ? status.processes.filter(isObject) : [];
  const memory = await memoryOf(rows.flatMap(({ pid }) => (typeof pid === 'number' ? [pid] : [])));
  return rows.map((row) => toProcess(row, memory));
}

function toProcess(row: Readonly<Record<string, unknown>>, memory: ReadonlyMap<number, number>): SharedProcess {
  const pid = typeof row.pid === 'number' ? row.pid : undefined;
  const users = (Array.isArray(row.users) ? row.users : []).filter(isObject).map(({ id, name }) => ({
    id: String(id),
    ...(typeof name === 'string' && { name }),
  }));
  const memoryBytes = pid === undefined ? undefined : memory.get(pid);
  const savedProcesses = pid === undefined ? 0 : Math.max(0, users.length - 1);
  return {
    server: String(row.server ?? ''),
    state: String(row.state ?? ''),
    ...(pid !== undefined && { pid }),
    ...(typeof row.era === 'string' && { era: row.era }),
    users,
    workspaces: Number(row.workspaces ?? 0),
    calls: Number(row.calls ?? 0),
    ...(memoryBytes !== undefined && { memoryBytes }),
    savedProcesses,
    ...(memoryBytes !== undefined && { savedBytes: savedProcesses * memoryBytes }),
  };
}

/** The same as a table, with the total that sharing saves. */
export function processLines(processes: readonly SharedProcess[] | undefined, io: Io): string[] {
  if (processes === undefined) return ['No daemon runs, so no server is shared between clients: portolan daemon start'];
  if (processes.length === 0) return ['The daemon runs no server at the moment: each starts when it is first used.'];
  const rows = processes.map(({ server, pid, era, state, users, calls, memoryBytes, savedBytes }): Cell[] => [
    { text: visible(runsInBothEras(server, processes) ? `${server} (${era})` : server) },
    { text: String(pid ?? '-') },
    { text: visible(state) },
    { text: visible(users.map(({ id, name }) => (name === undefined ? id : `${name} (${id})`)).join(', ') || '-') },
    { text: String(calls) },
    { text: megabytes(memoryBytes) },
    { text: savedBytes === 0 ? '-' : megabytes(savedBytes) },
  ]);
  return [...table([HEAD.map((text): Cell => ({ text, style: 'bold' })), ...rows], io), '', savingLine(processes)];
}

/** Only then the name does not tell two processes of a server apart. */
function runsInBothEras(server: string, processes: readonly SharedProcess[]): boolean {
  return new Set(processes.filter((one) => one.server === server).map(({ era }) => era)).size > 1;
}

function savingLine(processes: readonly SharedProcess[]): string {
  const count = processes.reduce((sum, { savedProcesses }) => sum + savedProcesses, 0);
  const bytes = processes.reduce((sum, { savedBytes = 0 }) => sum + savedBytes, 0);
  if (count === 0) return 'Sharing saves nothing at the moment: no server has more than one user.';
  const memory = bytes === 0 ? '' : ` and about ${megabytes(bytes)}`;
  return `Sharing saves ${plural(count, 'process', 'processes')}${memory}: without it each client would run its own.`;
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? '-' : `${(bytes / MEGABYTE).toFixed(bytes < 10 * MEGABYTE ? 1 : 0)} MB`;
}
