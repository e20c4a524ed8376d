import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * Optional programs. A test that uses one declares it with `needs('zsh')`: it is skipped if the program is missing, the
 * end of the run says how to install it, and CI runs its file again with all programs.
 */
const PROGRAMS = {
  bubblewrap: { command: 'bwrap', install: 'apt-get install bubblewrap' },
  python3: { command: 'python3', install: 'apt-get install python3' },
  deno: { command: 'deno', install: 'install Deno in ~/.deno/bin, see https://deno.com' },
  podman: { command: 'podman', install: 'apt-get install podman' },
  docker: { command: 'docker', install: 'see https://docs.docker.com/engine/install' },
  bash: { command: 'bash', install: 'apt-get install bash' },
  zsh: { command: 'zsh', install: 'apt-get install zsh' },
  fish: { command: 'fish', install: 'apt-get install fish' },
  git: { command: 'git', install: 'apt-get install git' },
} as const;

export type ProgramName = keyof typeof PROGRAMS;

/** The paths that `npm test -- --hide-programs` hides. Only the test runner reads it, never the product. */
const HIDDEN = process.env.PORTOLAN_TEST_HIDDEN_PROGRAMS;
/** Where the product looks for programs besides PATH. */
const MORE_FOLDERS = ['/usr/bin', '/usr/local/bin', '/bin', '/opt/homebrew/bin', '/snap/bin'];

const names = Object.keys(PROGRAMS) as ProgramName[];
const folders = new Set([
  ...(process.env.PATH ?? '').split(delimiter).filter(Boolean),
  ...MORE_FOLDERS,
  join(homedir(), '.deno', 'bin'),
]);

function pathsOf(command: string): string[] {
  const files = process.platform === 'win32' ? [`${command}.exe`, `${command}.cmd`] : [command];
  return [...folders].flatMap((folder) => files.map((file) => join(folder, file))).filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether a test may start the program. */
export function has(name: ProgramName): boolean {
  return HIDDEN === undefined && pathsOf(PROGRAMS[name].command).length > 0;
}

/** The options of a test or suite that starts these programs. */
export function needs(...programs: readonly ProgramName[]): { readonly tags: ProgramName[] } {
  return { tags: [...programs] };
}

/** The tags for Vitest's configuration: a test whose program is missing is skipped. */
export function programTags(): { name: ProgramName; description: string; skip?: true }[] {
  return names.map((name) => ({
    name,
    description: PROGRAMS[name].install,
    ...(!has(name) && { skip: true as const }),
  }));
}

/** The paths of all optional programs of this machine, which a build with hidden programs treats as absent. */
export function optionalProgramPaths(): string[] {
  return names.flatMap((name) => pathsOf(PROGRAMS[name].command));
}

/** These paths joined like PATH in a run that hides them; otherwise empty. */
export const hiddenPaths = HIDDEN ?? '';

/** A directory with links to all programs on PATH except the optional ones, as PATH for the tests. */
export function makePathWithoutPrograms(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'portolan-path-'));
  const hidden = new Set<string>(names.map((name) => PROGRAMS[name].command));
  const linked = new Set<string>();
  for (const folder of folders)
    for (const program of programsIn(folder)) {
      // `python3.11` and `git-shell` are hidden like `python3` and `git`.
      if (linked.has(program) || hidden.has(program.split(/[.-]/)[0] ?? '')) continue;
      linked.add(program);
      symlinkSync(join(folder, program), join(path, program));
    }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function programsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => isExecutable(join(folder, name)));
  } catch {
    return [];
  }
}

/** One line for each program that was missing. */
export function missingLine(name: string, skipped: number): string {
  const program = names.find((one) => one === name);
  const why =
    HIDDEN !== undefined ? 'hidden by --hide-programs' : program && `not installed: ${PROGRAMS[program].install}`;
  return `Skipped ${skipped} ${skipped === 1 ? 'test that needs' : 'tests that need'} ${name} (${why ?? 'unknown'}).`;
}
