import { baseName, startedBy } from './command-line.js';

/** Programs whose `run` downloads a missing image. */
const CONTAINER_PROGRAMS: ReadonlySet<string> = new Set(['docker', 'podman', 'nerdctl']);
/** `docker --context x run …`: the subcommand follows the global flags. */
const MAX_GLOBAL_WORDS = 8;

/** Whether a command line downloads a package or image before it starts the server: `npx`, `uvx`, `docker run` and similar. */
export function downloadsPackage(command: string, args: readonly string[]): boolean {
  return startedBy(command, args).some(
    ({ kind, word, rest }) =>
      kind === 'package' ||
      word.startsWith('jsr:') ||
      (CONTAINER_PROGRAMS.has(baseName(word)) && rest.slice(0, MAX_GLOBAL_WORDS).includes('run')),
  );
}
