import { backupOf, ErrorCode, PortolanError } from '../base/index.js';
import { type EditedFile, type EntryPath, editFile, readEntry, removeEntry, setEntry } from '../config-edit/index.js';
import { type DiscoverOptions, hostOf } from '../discovery/index.js';
import type { Host } from '../model/index.js';
import {
  type Client,
  type InstallTarget,
  installTargetsOf,
  type LaunchCommand,
  OUR_NAME,
  type StartedFile,
  startedFiles,
  takenOverFiles,
} from '../sources/index.js';
import { ourProgram, publishedProgram } from './own-command.js';
import { clientCalled } from './own-servers.js';
import { excludeFromGit, includeInGit } from './take-over/git-exclude.js';
import { editTakenOver, isInProject, type TakenFile, takeOverFile } from './take-over/take-over-file.js';
import { type UndoneFile, undoFile } from './take-over/undo-file.js';

export interface InstallOptions extends DiscoverOptions {
  /** Start Portolan with npx instead of its path. */
  readonly npx?: boolean;
  /** The absolute path of Node.js; by default that of this process. */
  readonly node?: string;
  /** Also keep the client from starting its own servers. */
  readonly takeOver?: boolean;
  /** Also take over the files of the current project. */
  readonly project?: boolean;
}

/** Everything that an installation would change. Nothing is written and nothing is started. */
export interface InstallPlan {
  readonly client: string;
  readonly name: string;
  readonly program: LaunchCommand;
  /** The file that gets the entry for Portolan. */
  readonly file: string;
  /** The files whose entries would be taken over. */
  readonly takeOver: readonly PlannedFile[];
}

export interface PlannedFile extends StartedFile {
  /** The file is part of a project, so a change is visible to everyone who works on it. */
  readonly isShared: boolean;
}

export interface Installed {
  readonly client: string;
  readonly file: EditedFile;
  readonly program: LaunchCommand;
  readonly takenOver: readonly TakenFile[];
  /** The exclude file of git that lists the copies. */
  readonly gitExclude?: string;
}

export interface Uninstalled {
  readonly client: string;
  /** The file from which only Portolan's own entry was removed. */
  readonly file?: EditedFile;
  readonly undone: readonly UndoneFile[];
}

/** What `install` would do with a client. */
export async function planInstall(id: string, options: InstallOptions = {}): Promise<InstallPlan> {
  const host = hostOf(options);
  const client = clientCalled(id);
  const [target] = targetsOf(client, host);
  const takeOver = options.takeOver ? await filesToTake(client, host, options.project === true) : [];
  return { client: id, name: client.name, program: programOf(options, host), file: target.path, takeOver };
}

/** Adds Portolan to a client's own file, in the client's own format; with `takeOver` in place of its servers. */
export async function install(id: string, options: InstallOptions = {}): Promise<Installed> {
  const host = hostOf(options);
  const client = clientCalled(id);
  const [target] = targetsOf(client, host);
  const program = programOf(options, host);
  const add = (text: string | undefined) => withPortolan(text ?? target.blank, target, program, client);
  const files = options.takeOver ? await filesToTake(client, host, options.project === true) : [];
  const own = files.find(({ path }) => path === target.path);
  // The client gets Portolan before it loses any server.
  const first = own ? await takeOverFile(own, id, host, add) : undefined;
  const file = first?.file ?? (await editTakenOver(target.path, host, add));
  const takenOver = first ? [first] : [];
  let gitExclude: string | undefined;
  for (const other of files.filter((one) => one !== own)) {
    takenOver.push(await takeOverFile(other, id, host));
    if (other.isShared) gitExclude = (await excludeFromGit(other.path, host)) ?? gitExclude;
  }
  return { client: id, file, program, takenOver, ...(gitExclude !== undefined && { gitExclude }) };
}

/** Removes Portolan from the client's files and restores its own servers. */
export async function uninstall(id: string, options: DiscoverOptions = {}): Promise<Uninstalled> {
  const host = hostOf(options);
  const client = clientCalled(id);
  const targets = installTargetsOf(client, host);
  const undone: UndoneFile[] = [];
  for (const file of takenOverFiles(client, host)) {
    const target = targets.find(({ path }) => path === file.path);
    undone.push(await undoFile(file, host, async (text) => (target ? entryRemoved(text, target) : text)));
    if (isInProject(file, host)) await includeInGit(file.path, host);
  }
  for (const target of undone.length > 0 ? targets : targetsOf(client, host)) {
    const file = await editFile(target.path, (text) => withoutPortolan(text, target, host));
    if (file.kind !== 'unchanged') return { client: id, file, undone };
  }
  if (undone.length > 0) return { client: id, undone };
  throw new PortolanError(ErrorCode.ServerNotFound, `${OUR_NAME} was not found in any file of ${client.name}`, {
    hint: `portolan config sources --client ${id} lists its files`,
  });
}

function programOf({ npx = false, node }: InstallOptions, host: Host): LaunchCommand {
  return npx ? publishedProgram(host) : ourProgram(host, node);
}

async function filesToTake(client: Client, host: Host, project: boolean): Promise<PlannedFile[]> {
  const files = await startedFiles(client, host);
  const planned = files.map((file) => ({ ...file, isShared: isInProject(file, host) }));
  return planned.filter(({ entries, isShared }) => entries.length > 0 && (project || !isShared));
}

function targetsOf(client: Client, host: Host): [InstallTarget, ...InstallTarget[]] {
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

async function withPortolan(
  text: string | undefined,
  target: InstallTarget,
  program: LaunchCommand,
  client: Client,
): Promise<string> {
  const entry = target.entry(program, OUR_NAME);
  const written = text === undefined ? undefined : await whereWritten(text, target);
  for (const at of written ? [written] : target.addresses(OUR_NAME)) {
    const made = await setEntry(text, target.format, at, entry);
    if (await target.finds(OUR_NAME, made)) return made;
  }
  throw new PortolanError(ErrorCode.EditRefused, `${client.name} would not read an entry added to its file`, {
    hint: 'nothing was written; add it by hand in the client itself',
  });
}

async function withoutPortolan(
  text: string | undefined,
  target: InstallTarget,
  host: Host,
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const at = await whereWritten(text, target);
  if (!at) return text;
  const left = await removeEntry(text, target.format, at);
  // A file created for the entry is removed with it unless it existed before: some clients leave an empty file.
  const isOurs = left === undefined || left.trim() === '' || left === target.blank;
  return isOurs && !wasThere(left, target, host) ? undefined : left;
}

/** The text of a file that existed before, so it stays even if it is empty. */
async function entryRemoved(text: string, target: InstallTarget): Promise<string> {
  const at = await whereWritten(text, target);
  return at ? ((await removeEntry(text, target.format, at)) ?? '') : text;
}

async function whereWritten(text: string, { format, addresses }: InstallTarget): Promise<EntryPath | undefined> {
  for (const at of addresses(OUR_NAME)) if ((await readEntry(text, format, at)) !== undefined) return at;
  return undefined;
}

function wasThere(left: string | undefined, { path }: InstallTarget, { files }: Host): boolean {
  const backup = files.read(backupOf(path));
  return backup.kind === 'read' && backup.text === left;
}
