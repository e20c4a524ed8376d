import { ErrorCode, nearest, PortolanError } from '../base/index.js';
import {
  type EditedFile,
  type EditOptions,
  editFile,
  type Plain,
  readEntry,
  removeEntry,
  setEntry,
} from '../config-edit/index.js';
import { type DiscoverOptions, hostOf, scanMachine } from '../discovery/index.js';
import type { Definition, Host } from '../model/index.js';
import { isFromRepository } from '../policy/index.js';
import {
  CLIENTS,
  type Client,
  type InstallTarget,
  installTargetsOf,
  ownEntry,
  projectInstallTargets,
  readSources,
  unknownClient,
} from '../sources/index.js';

const OWN_CLIENT = 'portolan';

/** A server as named on the command line. */
export interface NewServer {
  readonly name: string;
  readonly entry: Readonly<Record<string, Plain>>;
}

/** The file for a server: the user's own, or the project's shared one. */
export type ServerScope = 'user' | 'project';

export interface ServerOptions extends DiscoverOptions {
  readonly scope?: ServerScope;
}

/** Writes a server into the file of its scope; replaces an existing one only with `force`. */
export async function addServer(
  { name, entry }: NewServer,
  { force = false, scope = 'user', ...options }: ServerOptions & { readonly force?: boolean } = {},
): Promise<EditedFile> {
  checkName(name);
  const files = filesOf(scope, hostOf(options));
  const file = files.find(({ exists }) => exists) ?? files.at(-1);
  if (!file) throw new Error(`there is no file for servers of the ${scope}`);
  return editFile(
    file.path,
    async (text) => {
      const known = text !== undefined && (await isWritten(file, text, name));
      if (known && !force) {
        throw new PortolanError(ErrorCode.NameTaken, `${file.path} already has a server called ${name}`, {
          hint: 'choose another name, or replace it with --force',
        });
      }
      return setEntry(text, file.format, addressOf(file, name), entry);
    },
    editing(scope),
  );
}

/** Removes a server from the file of its scope, and an emptied file that was created for it. */
export async function removeServer(
  name: string,
  { scope = 'user', ...options }: ServerOptions = {},
): Promise<EditedFile> {
  const files = filesOf(scope, hostOf(options));
  for (const file of files) {
    const without = async (text: string | undefined) =>
      text !== undefined && (await isWritten(file, text, name))
        ? removeEntry(text, file.format, addressOf(file, name))
        : text;
    const edited = await editFile(file.path, without, editing(scope));
    if (edited.kind !== 'unchanged') return edited;
  }
  const paths = files.map(({ path }) => path);
  throw new PortolanError(ErrorCode.ServerNotFound, `there is no server called ${name} in ${paths.join(', ')}`, {
    hint: whereElse(name, paths, (await scanMachine(options)).definitions),
  });
}

/** A similar name in these files, or the file that has the server. */
function whereElse(name: string, paths: readonly string[], definitions: readonly Definition[]): string {
  const own = definitions.filter(({ source }) => paths.includes(source)).map((one) => one.name);
  const [near] = nearest(name, own, 1);
  const other = definitions.find((one) => one.name === name && !paths.includes(one.source));
  if (other) return `it is defined in ${other.source}, which belongs to ${other.client}: remove it there`;
  return `${near === undefined ? '' : `did you mean ${near}? `}portolan list --all shows the file of each server`;
}

function filesOf(scope: ServerScope, host: Host): readonly InstallTarget[] {
  return scope === 'project' ? projectInstallTargets(CLIENTS, host) : [ownFile(host)];
}

/** Links in a project are refused, because its author could point them at any file of the user. */
function editing(scope: ServerScope): EditOptions {
  return { refuseLinks: scope === 'project' };
}

/** The result of an import for each of the client's servers. */
export interface Import {
  readonly file: EditedFile;
  readonly imported: readonly string[];
  readonly passedOver: readonly { readonly name: string; readonly because: string }[];
}

/** Copies the servers of a client unchanged into Portolan's own file. */
export async function importServers(
  id: string,
  { force = false, ...options }: DiscoverOptions & { readonly force?: boolean } = {},
): Promise<Import> {
  const host = hostOf(options);
  const client = clientCalled(id);
  const own = ownFile(host);
  const { definitions } = await readSources([client], host);
  const isBrought = (one: Definition) => isFromRepository(one, host);
  // Of two definitions of one name the client uses the one with the higher number; those of a repository are skipped.
  const sorted = definitions.toSorted((a, b) => a.precedence - b.precedence);
  const mine = sorted.filter((one) => !isBrought(one));
  const brought = sorted.filter((one) => isBrought(one) && !mine.some(({ name }) => name === one.name));
  const chosen = new Map([...mine, ...brought].map((one) => [one.name, one]));
  let [imported, passedOver]: [string[], Import['passedOver'][number][]] = [[], []];
  const file = await editFile(own.path, async (before) => {
    let text = before;
    [imported, passedOver] = [[], []];
    for (const [name, definition] of chosen) {
      const made = ownEntry(definition, host);
      const taken = text !== undefined && !force && (await isWritten(own, text, name));
      if (made.kind === 'passed-over') passedOver.push({ name, because: made.because });
      else if (isBrought(definition)) passedOver.push({ name, because: 'it is defined in a project file' });
      else if (taken) passedOver.push({ name, because: 'a server with this name already exists' });
      else {
        text = await setEntry(text, own.format, addressOf(own, name), made.entry);
        imported.push(name);
      }
    }
    return text;
  });
  return { file, imported, passedOver };
}

/** Finds a client by id, other than our own. */
export function clientCalled(id: string): Client {
  const client = CLIENTS.find((one) => one.id === id && one.id !== OWN_CLIENT);
  if (client) return client;
  throw unknownClient(
    [id],
    CLIENTS.filter((one) => one.id !== OWN_CLIENT),
  );
}

function ownFile(host: Host): InstallTarget {
  const [own] = CLIENTS.filter((client) => client.id === OWN_CLIENT).flatMap((client) =>
    installTargetsOf(client, host),
  );
  if (!own) throw new Error('our own client has no file to write to');
  return own;
}

function addressOf(own: InstallTarget, name: string) {
  return own.addresses(name)[0] ?? { path: [name] };
}

async function isWritten(own: InstallTarget, text: string, name: string): Promise<boolean> {
  return (await readEntry(text, own.format, addressOf(own, name))) !== undefined;
}

function checkName(name: string): void {
  if (name.trim() === '' || /\p{Cc}/u.test(name)) {
    throw new PortolanError(ErrorCode.Usage, 'the server name is empty or contains control characters', {
      hint: 'choose another name',
    });
  }
  if (name.toLowerCase() === OWN_CLIENT) {
    throw new PortolanError(ErrorCode.Usage, `the server name ${name} is reserved for this gateway`, {
      hint: 'choose another name',
    });
  }
}
