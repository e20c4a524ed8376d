import { basename, join } from 'node:path';
import { isObject, splitWords } from '../base/index.js';
import { programName } from '../model/index.js';

/** Extensions that an interpreter adds automatically. */
const ENDINGS = ['.js', '.cjs', '.mjs', '.ts', '.json', '.py', '.rb'];
/** Files that are run for a directory, or that define what is run for it. */
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

/** Whether a text is program code rather than values, some of which may be secret. */
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

/** The paths that a word of a command line may refer to. */
export function pathsToTry(piece: string, { isInterpreted, isRunner, isFolder = false }: Manner): readonly string[] {
  if (isFolder) return [...(isInterpreted ? START_FILES : []), ...(isRunner ? RUNNER_FILES : [])];
  const paths = [piece];
  if (isInterpreted) {
    paths.push(...ENDINGS.map((ending) => `${piece}${ending}`));
    // `python -m a.b`, and a directory that is run.
    const module = /^[\w-]+(?:\.[\w-]+)*$/.test(piece) ? piece.replaceAll('.', '/') : undefined;
    if (module !== undefined) paths.push(`${module}.py`, `${module}/__init__.py`, `${module}/__main__.py`);
  }
  if (isRunner) {
    // Without the version, because `npx` prefers the package installed in the project.
    const name = basename(piece.replace(/(?<=.)@[^@/]*$/, ''));
    if (/^[\w.-]+$/.test(name) && !name.startsWith('.')) paths.push(join('node_modules', '.bin', name));
  }
  return paths;
}

/** The programs named in the first line of a script. */
export function interpreterIn(text: string | undefined): readonly string[] {
  const line = /^#!([^\n]{1,512})/.exec(text ?? '')?.[1];
  if (line === undefined) return [];
  const [program = '', ...words] = splitWords(line);
  if (programName(program) !== 'env') return [program];
  const inner = words.find((word) => !word.startsWith('-') && !word.includes('='));
  return inner === undefined ? [program] : [program, inner];
}

/** The file that `package.json` names as the entry point. */
export function mainIn(path: string, text: string | undefined): string | undefined {
  if (basename(path) !== 'package.json' || text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.main === 'string' && value.main.length < 1_024 ? value.main : undefined;
  } catch {
    return undefined; // not JSON, or nested too deeply
  }
}
