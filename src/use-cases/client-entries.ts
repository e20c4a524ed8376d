import { dirname } from 'node:path';
import { PortolanError } from '../base/index.js';
import { type EntryPath, readEntry, setEntry } from '../config-edit/index.js';
import { type DiscoverOptions, hostOf } from '../discovery/index.js';
import type { Host } from '../model/index.js';
import {
  CLIENTS,
  type Client,
  type InstallTarget,
  installTargetsOf,
  type LaunchCommand,
  OUR_NAME,
} from '../sources/index.js';
import { ourProgram, typedProgram } from './own-command.js';

const USED_BY_MANY = /[\\/](?:\.config|Application Support|Roaming)$/;

/** The text to paste into a client's own file to start Portolan. */
export interface ClientEntry {
  readonly client: string;
  readonly name: string;
  readonly file: string;
  /** The entry in the client's own format, with everything around it. */
  readonly text: string;
  /** The entry is already there. */
  readonly isThere: boolean;
}

export interface ClientEntries {
  readonly program: LaunchCommand;
  /** How the user starts Portolan in this shell. */
  readonly typed: string;
  /** As most clients spell it, for one that was not found. */
  readonly text: string;
  readonly clients: readonly ClientEntry[];
}

/** The entries for every client found on this machine. Nothing is written. */
export async function clientEntries(options: DiscoverOptions = {}): Promise<ClientEntries> {
  const host = hostOf(options);
  const program = ourProgram(host);
  const found = CLIENTS.filter(({ id }) => id !== OUR_NAME).flatMap((client) => {
    const target = installTargetsOf(client, host).find((one) => one.exists || hasFolder(one, host));
    return target ? [{ client, target }] : [];
  });
  const made = await Promise.all(found.map(({ client, target }) => entryOf(client, target, program, host)));
  const text = await setEntry(undefined, 'json', { path: ['mcpServers', OUR_NAME], list: false }, { ...program });
  return { program, typed: typedProgram(host), text, clients: made.filter((entry) => entry !== undefined) };
}

/** The ids of all clients with a writable file, installed or not. */
export function knownClients(): string[] {
  return CLIENTS.filter(({ id, places }) => id !== OUR_NAME && places.some(({ install }) => install)).map(
    ({ id }) => id,
  );
}

/** Whether the client's directory exists; a directory that several programs use proves nothing. */
function hasFolder({ path }: InstallTarget, { files, home, cwd, env }: Host): boolean {
  const folder = dirname(path);
  const isShared = [home, cwd, env.XDG_CONFIG_HOME].includes(folder) || USED_BY_MANY.test(folder);
  return !isShared && files.exists(folder);
}

async function entryOf(
  { id, name }: Client,
  target: InstallTarget,
  program: LaunchCommand,
  { files }: Host,
): Promise<ClientEntry | undefined> {
  const entry = target.entry(program, OUR_NAME);
  const reading = files.read(target.path);
  const isThere = reading.kind === 'read' && (await stands(reading.text, target));
  for (const at of target.addresses(OUR_NAME)) {
    const text = await setEntry(target.blank, target.format, at, entry);
    if (await target.finds(OUR_NAME, text)) return { client: id, name, file: target.path, text, isThere };
  }
  return undefined;
}

async function stands(text: string, { format, addresses }: InstallTarget): Promise<boolean> {
  const isAt = async (at: EntryPath): Promise<boolean> => (await readEntry(text, format, at)) !== undefined;
  try {
    for (const at of addresses(OUR_NAME)) if (await isAt(at)) return true;
  } catch (error) {
    // The entry is offered even if the existing file does not parse.
    if (!(error instanceof PortolanError)) throw error;
  }
  return false;
}
