import { backupOf, ErrorCode, PortolanError } from '../base/index.js';
import { type EditedFile, type EntryPath, editFile, readEntry, removeEntry, setEntry } from '../config-edit/index.js';
import { type DiscoverOptions, hostOf } from '../discovery/index.js';
import type { Host } from '../model/index.js';
import { type Client, type InstallTarget, installTargetsOf, type LaunchCommand } from '../sources/index.js';
import { OUR_NAME, ourProgram, publishedProgram } from './own-command.js';
import { clientCalled } from './own-servers.js';

export interface Installed {
  readonly client: string;
  readonly file: EditedFile;
  readonly program: LaunchCommand;
}

/** Adds Portolan to a client's own file, in the client's own format. */
export async function install(
  id: string,
  { npx = false, ...options }: DiscoverOptions & { readonly npx?: boolean } = {},
): Promise<Installed> {
  const host = hostOf(options);
  const client = clientCalled(id);
  const [entrance] = entrances(client, host);
  const program = npx ? publishedProgram(host) : ourProgram(host);
  const file = await editFile(entrance.path, (text) => withUs(text ?? entrance.blank, entrance, program, client));
  return { client: id, file, program };
}

/** Removes Portolan from the client's file; every other byte stays as it is. */
export async function uninstall(id: string, options: DiscoverOptions = {}): Promise<Omit<Installed, 'program'>> {
  const host = hostOf(options);
  const client = clientCalled(id);
  for (const entrance of entrances(client, host)) {
    const file = await editFile(entrance.path, (text) => withoutUs(text, entrance, host));
    if (file.kind !== 'unchanged') return { client: id, file };
  }
  throw new PortolanError(ErrorCode.ServerNotFound, `${OUR_NAME} was not found in any file of ${client.name}`, {
    hint: `portolan config sources --client ${id} lists its files`,
  });
}

function entrances(client: Client, host: Host): [InstallTarget, ...InstallTarget[]] {
  const [first, ...rest] = installTargetsOf(client, host);
  if (first) return [first, ...rest];
  throw new PortolanError(
    ErrorCode.NotInstallable,
    `${client.name} has no file on this machine that Portolan can edit`,
    {
      hint: 'add it by hand in the client itself: command npx, arguments -y portolan',
    },
  );
}

async function withUs(
  text: string | undefined,
  entrance: InstallTarget,
  program: LaunchCommand,
  client: Client,
): Promise<string> {
  const entry = entrance.entry(program, OUR_NAME);
  const written = text === undefined ? undefined : await whereWritten(text, entrance);
  for (const at of written ? [written] : entrance.addresses(OUR_NAME)) {
    const made = await setEntry(text, entrance.format, at, entry);
    if (await entrance.finds(OUR_NAME, made)) return made;
  }
  throw new PortolanError(ErrorCode.EditRefused, `${client.name} would not read an entry added to its file`, {
    hint: 'nothing was written; add it by hand in the client itself',
  });
}

async function withoutUs(text: string | undefined, entrance: InstallTarget, host: Host): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const at = await whereWritten(text, entrance);
  if (!at) return text;
  const left = await removeEntry(text, entrance.format, at);
  // A file created for the entry is removed with it unless it existed before: some clients leave an empty file.
  const isOurs = left === undefined || left.trim() === '' || left === entrance.blank;
  return isOurs && !wasThere(left, entrance, host) ? undefined : left;
}

async function whereWritten(text: string, { format, addresses }: InstallTarget): Promise<EntryPath | undefined> {
  for (const at of addresses(OUR_NAME)) if ((await readEntry(text, format, at)) !== undefined) return at;
  return undefined;
}

function wasThere(left: string | undefined, { path }: InstallTarget, { files }: Host): boolean {
  const backup = files.read(backupOf(path));
  return backup.kind === 'read' && backup.text === left;
}
