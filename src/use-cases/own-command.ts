import { join } from 'node:path';
import type { Host } from '../model/index.js';
import type { LaunchCommand } from '../sources/index.js';

/** Our name in client files and in the registry. */
export const OUR_NAME = 'portolan';

/** The command with which a client starts this program: by package name if it came from npm, otherwise by path. */
export function ourProgram(host: Host): LaunchCommand {
  const { self } = host;
  if (self === undefined || isFromRegistry(self, host)) return publishedProgram(host);
  return { command: 'node', args: [self] };
}

/** The command for a machine that has only Node.js. */
export function publishedProgram({ platform }: Pick<Host, 'platform'>): LaunchCommand {
  const words = ['npx', '-y', OUR_NAME];
  // On Windows npx is a script, which a client can start only through the shell.
  const [command = '', ...args] = platform === 'win32' ? ['cmd', '/c', ...words] : words;
  return { command, args };
}

/** True in the npx cache, whose paths may be deleted, except for a local package, which npm cannot find by name. */
function isFromRegistry(self: string, { files }: Host): boolean {
  const [cache] = /^.*[\\/]_npx[\\/][^\\/]+(?=[\\/])/.exec(self) ?? [];
  if (cache === undefined) return false;
  const reading = files.read(join(cache, 'package.json'));
  return reading.kind !== 'read' || !/"portolan"\s*:\s*"(?:file:|[./~]|https?:)/.test(reading.text);
}
