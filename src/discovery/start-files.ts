import { basename, join } from 'node:path';
import { isObject, splitWords } from '../base/index.js';
import { programName } from '../model/index.js';

/** Endings that an interpreter adds by itself. */
const ENDINGS = ['.js', '.cjs', '.mjs', '.ts', '.json', '.py', '.rb'];
/** What is run of a folder, or says what is run there. */
const START_FILES = [
  ...['package.json', 'index.js', 'index.cjs', 'index.mjs', 'index.ts', '__main__.py', '__init__.py'],
];
const RUNNER_FILES = [
  ...['package.json', 'deno.json', 'deno.jsonc', 'pyproject.toml', 'Makefile', 'makefile', 'GNUmakefile', 'justfile'],
  ...['Justfile', 'Taskfile.yml', 'Taskfile.yaml', 'Pipfile', 'Cargo.toml', 'Rakefile', 'Gemfile', 'composer.json'],
  ...['build.gradle', 'build.gradle.kts', 'pom.xml', '.npmrc', 'bunfig.toml', 'uv.toml', '.pnp.cjs'],
  ...['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml', 'Dockerfile'],
];

const SCRIPT_ENDING =
  /\.(?:[cm]?[jt]sx?|pyw?|rb|sh|bash|zsh|fish|pl|php|lua|ps1|bat|cmd|go|rs|java|kts?|groovy|gradle|make|mk)$/i;

/** Whether the lines of a text are program code, and not values of which some may be secret. */
export function isScript(path: string, text: string): boolean {
  return (
    text.startsWith('#!') ||
    SCRIPT_ENDING.test(path) ||
    (RUNNER_FILES.includes(basename(path)) && !basename(path).startsWith('.'))
  );
}

interface Manner {
  readonly isInterpreted: boolean;
  readonly isRunner: boolean;
  readonly isFolder?: boolean;
}

/** The paths at which a piece of a command line may mean a file. */
export function pathsToTry(piece: string, { isInterpreted, isRunner, isFolder = false }: Manner): readonly string[] {
  if (isFolder) return [...(isInterpreted ? START_FILES : []), ...(isRunner ? RUNNER_FILES : [])];
  const paths = [piece];
  if (isInterpreted) {
    paths.push(...ENDINGS.map((ending) => `${piece}${ending}`));
    // `python -m a.b`, and a folder that is run.
    const module = /^[\w-]+(?:\.[\w-]+)*$/.test(piece) ? piece.replaceAll('.', '/') : undefined;
    if (module !== undefined) paths.push(`${module}.py`, `${module}/__init__.py`, `${module}/__main__.py`);
  }
  if (isRunner) {
    // Without the version: `npx` prefers what the project has installed.
    const name = basename(piece.replace(/(?<=.)@[^@/]*$/, ''));
    if (/^[\w.-]+$/.test(name) && !name.startsWith('.')) paths.push(join('node_modules', '.bin', name));
  }
  return paths;
}

/** The programs that the first line of a script names. */
export function interpreterIn(text: string | undefined): readonly string[] {
  const line = /^#!([^\n]{1,512})/.exec(text ?? '')?.[1];
  if (line === undefined) return [];
  const [program = '', ...words] = splitWords(line);
  if (programName(program) !== 'env') return [program];
  const inner = words.find((word) => !word.startsWith('-') && !word.includes('='));
  return inner === undefined ? [program] : [program, inner];
}

/** The file that a `package.json` says is run. */
export function mainIn(path: string, text: string | undefined): string | undefined {
  if (basename(path) !== 'package.json' || text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.main === 'string' && value.main.length < 1_024 ? value.main : undefined;
  } catch {
    return undefined; // not JSON, or nested too deep
  }
}
