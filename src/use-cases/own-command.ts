import { basename, delimiter, dirname, join } from 'node:path';
import { quoted, shellWord } from '../base/index.js';
import { programFiles } from '../discovery/index.js';
import { type Host, variable } from '../model/index.js';
import { type LaunchCommand, OUR_NAME } from '../sources/index.js';

/** The command for a client's file: npx if the npm registry has this program, else its path. */
export function ourProgram(host: Host, node = process.execPath): LaunchCommand {
  const { self } = host;
  if (self === undefined) return publishedProgram(host);
  return isFromRegistry(self, host) ? npxProgram(host, node) : { command: lastingPath(node, host), args: [self] };
}

/** Starts npx for a client without the shell's PATH: npx itself looks for node there. */
function npxProgram(host: Host, node: string): LaunchCommand {
  const folder = dirname(lastingPath(node, host));
  if (host.platform === 'win32' || !host.files.exists(join(folder, 'npx'))) return publishedProgram(host);
  // No braces around PATH, because several clients replace `${…}` in arguments.
  return {
    command: '/bin/sh',
    args: ['-c', `PATH=${shellWord(folder)}:"$PATH"; export PATH; exec npx -y ${OUR_NAME}`],
  };
}

/** Package managers keep these links when they replace the version behind them. */
const LASTING_FOLDERS = ['/opt/homebrew/bin', '/usr/local/bin', '/home/linuxbrew/.linuxbrew/bin', '/usr/bin'];

/** An absolute path, because a client that was started from the desktop does not have the shell's PATH. */
function lastingPath(node: string, { files }: Host): string {
  const real = files.realPath(node);
  const links = LASTING_FOLDERS.map((folder) => join(folder, basename(node)));
  return links.find((path) => real !== undefined && files.realPath(path) === real) ?? node;
}

/** The command that needs only Node. */
export function publishedProgram({ platform }: Pick<Host, 'platform'>): LaunchCommand {
  const words = ['npx', '-y', OUR_NAME];
  // On Windows npx is a script, which clients cannot start without a shell.
  const [command = '', ...args] = platform === 'win32' ? ['cmd', '/c', ...words] : words;
  return { command, args };
}

/** The cache of npx can be cleared, so a path into it must not be written to a file. A package from a file or URL has only that path. */
function isFromRegistry(self: string, { files }: Host): boolean {
  const [cache] = /^.*[\\/]_npx[\\/][^\\/]+(?=[\\/])/.exec(self) ?? [];
  if (cache === undefined) return false;
  const reading = files.read(join(cache, 'package.json'));
  return reading.kind !== 'read' || !/"portolan"\s*:\s*"(?:file:|[./~]|https?:)/.test(reading.text);
}

/** How the user starts this program again in the shell that runs it now. */
export function typedProgram(host: Host): string {
  const { self } = host;
  if (self === undefined || isFromRegistry(self, host)) return `npx ${OUR_NAME}`;
  if (isOnPath(self, host)) return OUR_NAME;
  return `node ${host.platform === 'win32' ? quoted(self) : shellWord(self)}`;
}

/** npm and npx add `node_modules/.bin` to PATH only for the program that they start. */
function isOnPath(self: string, host: Host): boolean {
  const path = (variable(host, 'PATH') ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder))
    .join(delimiter);
  const found = path === '' ? undefined : programFiles(OUR_NAME, host.cwd, { PATH: path }, host)[0];
  if (found === undefined) return false;
  const { files } = host;
  return (files.realPath(found) ?? found) === (files.realPath(self) ?? self) || isShim(found, self, host);
}

/** pnpm, and npm on Windows, put a script on PATH that starts the installed package. */
function isShim(found: string, self: string, { files }: Host): boolean {
  const reading = files.read(found);
  const names = (text: string) => text.replaceAll('\\', '/').includes(`node_modules/${OUR_NAME}/`);
  return reading.kind === 'read' && names(reading.text) && names(self);
}
