import { join } from 'node:path';
import type { DiscoverOptions } from '../../discovery/index.js';

/** The example servers, and the arguments of each. */
export const EXAMPLES = ['weather', 'orders', 'notes'] as const;

/** A temporary home and project, with the example servers defined in the project. */
export interface TourWorkspace extends AsyncDisposable {
  /** Options that make every scan use the temporary directories. */
  readonly machine: Required<Pick<DiscoverOptions, 'home' | 'cwd' | 'env' | 'self'>>;
  /** The file in which the server `notes` saves its notes. */
  readonly notesFile: string;
}

/** Creates the temporary directories; disposing removes them with all their content. */
export async function openTourWorkspace(program: string, examples: string): Promise<TourWorkspace> {
  const { mkdtemp, mkdir, writeFile, realpath, rm } = process.getBuiltinModule('node:fs/promises');
  const { tmpdir } = process.getBuiltinModule('node:os');
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'portolan-tour-')));
  const removeDirectories = () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  try {
    const [home, cwd] = [join(folder, 'home'), join(folder, 'project')];
    const notesFile = join(home, 'notes.json');
    await mkdir(home);
    await mkdir(join(cwd, 'mcp-servers'), { recursive: true });
    for (const name of EXAMPLES) {
      const entry = {
        command: process.execPath,
        args: [join(examples, `${name}.js`)],
        ...(name === 'notes' && { env: { NOTES_FILE: notesFile } }),
      };
      const text = JSON.stringify({ mcpServers: { [name]: entry } }, null, 2);
      await writeFile(join(cwd, 'mcp-servers', `${name}.json`), `${text}\n`);
    }
    const machine = { home, cwd, env: environment(home), self: program };
    return { machine, notesFile, [Symbol.asyncDispose]: removeDirectories };
  } catch (error) {
    await removeDirectories();
    throw error;
  }
}

/** The variables that a process needs to run, without any that lead to the real home. */
const PASSED_ON = ['PATH', 'LANG', 'TERM', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'ComSpec', 'PATHEXT', 'PORTOLAN_LOG'];

function environment(home: string): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(passed),
    ...{ HOME: home, USERPROFILE: home, APPDATA: join(home, 'AppData', 'Roaming') },
    ...{ LOCALAPPDATA: join(home, 'AppData', 'Local'), XDG_RUNTIME_DIR: join(home, 'run') },
    // No daemon, because it would outlive the tour.
    PORTOLAN_DAEMON: 'never',
  };
}
