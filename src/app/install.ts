import { join } from 'node:path';
import {
  backupOf,
  type EditedFile,
  type EntryPath,
  ErrorCode,
  editFile,
  PortolanError,
  readEntry,
  removeEntry,
  setEntry,
} from '../base/index.js';
import { type Client, type Entrance, entrancesOf, type Host, type Program } from '../sources/index.js';
import { type DiscoverOptions, hostOf } from './discover.js';
import { clientCalled } from './own-servers.js';

const NAME = 'portolan';

export interface Installed {
  readonly client: string;
  readonly file: EditedFile;
  readonly program: Program;
}

/** Puts Portolan into a client's own file of servers, in the client's own spelling. */
export async function install(
  id: string,
  { npx = false, ...options }: DiscoverOptions & { readonly npx?: boolean } = {},
): Promise<Installed> {
  const host = hostOf(options);
  const client = clientCalled(id);
  const [entrance] = entrances(client, host);
  const program = npx ? published(host) : ourProgram(host);
  const file = await editFile(entrance.path, (text) => withUs(text ?? entrance.blank, entrance, program, client));
  return { client: id, file, program };
}

/** Takes Portolan out of the client's file again; what else is in it stays as it is, to the byte. */
export async function uninstall(id: string, options: DiscoverOptions = {}): Promise<Omit<Installed, 'program'>> {
  const host = hostOf(options);
  const client = clientCalled(id);
  for (const entrance of entrances(client, host)) {
    const file = await editFile(entrance.path, (text) => withoutUs(text, entrance, host));
    if (file.kind !== 'unchanged') return { client: id, file };
  }
  throw new PortolanError(ErrorCode.ServerNotFound, `${NAME} is not written in any file of ${client.name}`, {
    hint: `portolan config sources --client ${id} shows where it looks`,
  });
}

function entrances(client: Client, host: Host): [Entrance, ...Entrance[]] {
  const [first, ...rest] = entrancesOf(client, host);
  if (first) return [first, ...rest];
  throw new PortolanError(ErrorCode.NotInstallable, `${client.name} keeps no file that Portolan can write to here`, {
    hint: 'add it by hand in the client itself: command npx, arguments -y portolan',
  });
}

async function withUs(text: string | undefined, entrance: Entrance, program: Program, client: Client): Promise<string> {
  const entry = entrance.entry(program, NAME);
  const written = text === undefined ? undefined : await whereWritten(text, entrance);
  for (const at of written ? [written] : entrance.addresses(NAME)) {
    const made = await setEntry(text, entrance.format, at, entry);
    if (await entrance.finds(NAME, made)) return made;
  }
  throw new PortolanError(ErrorCode.EditRefused, `${client.name} would not find an entry that is added here`, {
    hint: 'nothing was written; add it by hand in the client itself',
  });
}

async function withoutUs(text: string | undefined, entrance: Entrance, host: Host): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const at = await whereWritten(text, entrance);
  if (!at) return text;
  const left = await removeEntry(text, entrance.format, at);
  // What was made along with the entry goes with it, unless it was there before: some clients leave an empty file.
  const isOurs = left === undefined || left.trim() === '' || left === entrance.blank;
  return isOurs && !wasThere(left, entrance, host) ? undefined : left;
}

async function whereWritten(text: string, { format, addresses }: Entrance): Promise<EntryPath | undefined> {
  for (const at of addresses(NAME)) if ((await readEntry(text, format, at)) !== undefined) return at;
  return undefined;
}

function wasThere(left: string | undefined, { path }: Entrance, { files }: Host): boolean {
  const backup = files.read(backupOf(path));
  return backup.kind === 'read' && backup.text === left;
}

/** How a client starts this program again: by its name where it came from the registry, else by its path. */
function ourProgram(host: Host): Program {
  const { self } = host;
  if (self === undefined || isFromRegistry(self, host)) return published(host);
  return { command: 'node', args: [self] };
}

function published({ platform }: Host): Program {
  const words = ['npx', '-y', NAME];
  // On Windows npx is a script, and no client can start one without its shell.
  const [command = '', ...args] = platform === 'win32' ? ['cmd', '/c', ...words] : words;
  return { command, args };
}

/** `npx portolan` runs out of a cache that is cleared one day; what was packed by hand is not to be had by its name. */
function isFromRegistry(self: string, { files }: Host): boolean {
  const [cache] = /^.*[\\/]_npx[\\/][^\\/]+(?=[\\/])/.exec(self) ?? [];
  if (cache === undefined) return false;
  const reading = files.read(join(cache, 'package.json'));
  return reading.kind !== 'read' || !/"portolan"\s*:\s*"(?:file:|[./~]|https?:)/.test(reading.text);
}
