import { join } from 'node:path';
import type { Host } from '../model/index.js';
import type { LaunchCommand } from '../sources/index.js';

/** Our name in clients' files and in the registry. */
export const OUR_NAME = 'portolan';

/** How a client starts this program again: by its name where it came from the registry, else by its path. */
export function ourProgram(host: Host): LaunchCommand {
  const { self } = host;
  if (self === undefined || isFromRegistry(self, host)) return publishedProgram(host);
  return { command: 'node', args: [self] };
}

/** How anybody starts it who has nothing but Node. */
export function publishedProgram({ platform }: Pick<Host, 'platform'>): LaunchCommand {
  const words = ['npx', '-y', OUR_NAME];
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
