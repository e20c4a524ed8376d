import { basename, join } from 'node:path';
import { isObject, splitWords } from '../base/index.js';
import { programName } from '../model/index.js';

/** Extensions that an interpreter adds automatically. */
const ENDINGS = [
  ...['.js', '.cjs', '.mjs', '.ts', '.cts', '.mts', '.jsx', '.tsx', '.json', '.node', '.py', '.pyc', '.so', '.rb'],
  ...['.pm', '.lua', '.class'],
];
/** Endings of a Python module, which may be a part of a dotted name. */
const MODULE_ENDINGS = ['.py', '.pyc', '.so', '/__init__.py', '/__init__.pyc', '/__main__.py', '/__main__.pyc'];
/** Files that are run for a directory, or that define what is run for it. */
const START_FILES = [
  ...['package.json', 'index.js', 'index.cjs', 'index.mjs', 'index.ts', 'index.tsx', 'index.jsx', 'index.json'],
  // Python runs the last two before everything else if the directory is in PYTHONPATH.
  ...['index.node', '__main__.py', '__main__.pyc', '__init__.py', 'sitecustomize.py', 'usercustomize.py'],
];
const RUNNER_FILES = [
  ...['package.json', 'deno.json', 'deno.jsonc', 'pyproject.toml', 'Makefile', 'makefile', 'GNUmakefile', 'justfile'],
  ...['Justfile', '.justfile', 'Taskfile.yml', 'Taskfile.yaml', 'Pipfile', 'Cargo.toml', 'Rakefile', 'Gemfile'],
  ...['composer.json', 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'pom.xml', 'build.xml', 'build.sbt'],
  ...['project.clj', 'mix.exs', 'Package.swift', 'tox.ini', 'noxfile.py', 'tasks.py', 'pixi.toml', 'Procfile'],
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', 'bunfig.toml', 'uv.toml', '.pnp.cjs', 'pnpm-workspace.yaml', 'nx.json'],
  ...['turbo.json', 'mise.toml', '.mise.toml', 'mise.local.toml', '.tool-versions', '.envrc', 'devbox.json'],
  ...['flake.nix', 'flake.lock', 'shell.nix', 'default.nix'],
  ...['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml', 'Dockerfile'],
  ...['compose.override.yaml', 'compose.override.yml', 'docker-compose.override.yaml', 'docker-compose.override.yml'],
];

const SCRIPT_ENDING =
  /\.(?:[cm]?[jt]sx?|pyw?|rb|sh|bash|zsh|fish|pl|php|lua|ps1|bat|cmd|go|rs|java|kts?|groovy|gradle|make|mk)$/i;

/** Files of runners that set variables, or name registries with a password. */
const MAY_HOLD_SECRETS = /^\.|compose[\w.]*\.ya?ml$|^(?:bunfig|uv|mise(?:\.local)?)\.toml$|^devbox\.json$/;

/** Whether a text is program code rather than values, some of which may be secret. */
export function isScript(path: string, text: string): boolean {
  const name = basename(path);
  return (
    text.startsWith('#!') || SCRIPT_ENDING.test(path) || (RUNNER_FILES.includes(name) && !MAY_HOLD_SECRETS.test(name))
  );
}

/** Files that a shell runs at its start, if `HOME` or `ZDOTDIR` names their directory. */
const SHELL_FILES = ['.zshenv', '.zprofile', '.zshrc', '.profile', '.bash_profile', '.bashrc'];

interface ProgramTraits {
  readonly isInterpreted: boolean;
  readonly isRunner: boolean;
  readonly isShell: boolean;
}

/** The files that a program runs or reads for a directory. */
export function startFiles({ isInterpreted, isRunner, isShell }: ProgramTraits): readonly string[] {
  return [...(isInterpreted ? START_FILES : []), ...(isRunner ? RUNNER_FILES : []), ...(isShell ? SHELL_FILES : [])];
}

/** The paths that a word of a command line may refer to. */
export function pathsToTry(piece: string, { isInterpreted }: Pick<ProgramTraits, 'isInterpreted'>): readonly string[] {
  if (!isInterpreted) return [piece];
  const paths = [piece, ...ENDINGS.map((ending) => `${piece}${ending}`)];
  // `python -m a.b` runs also what is in `a`.
  const names = /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+){0,8}$/u.test(piece) ? piece.split('.') : [];
  for (let count = 1; count <= names.length; count += 1)
    paths.push(...MODULE_ENDINGS.map((ending) => `${names.slice(0, count).join('/')}${ending}`));
  return paths;
}

/** What a word may refer to in a directory or in one above it: installed programs and packages. */
export function installedPaths(
  piece: string,
  { isInterpreted, isRunner }: Pick<ProgramTraits, 'isInterpreted' | 'isRunner'>,
): readonly string[] {
  const paths: string[] = [];
  // Without the version, because `npx` prefers the package installed in the project.
  const name = basename(piece.replace(/(?<=.)@[^@/]*$/, ''));
  if (isRunner && /^[\w.-]+$/.test(name) && !name.startsWith('.'))
    paths.push(...['node_modules/.bin', '.venv/bin', 'venv/bin'].map((folder) => join(folder, name)));
  // `node -r package`, `node --import @scope/package/file`
  const [, owner] = /^((?:@[\w.-]+\/)?\w[\w.-]*)(?:\/[\w./-]*)?$/.exec(piece) ?? [];
  if (isInterpreted && owner !== undefined) {
    const folder = join('node_modules', piece);
    paths.push(join('node_modules', owner, 'package.json'), folder);
    paths.push(...ENDINGS.map((ending) => `${folder}${ending}`));
    paths.push(...['package.json', 'index.js', 'index.cjs', 'index.mjs'].map((file) => join(folder, file)));
  }
  return paths;
}

/** The words in the first line of a script: the interpreter and its arguments, without `env`. */
export function interpreterWords(text: string | undefined): readonly string[] {
  const line = /^#!([^\n]{1,512})/.exec(text ?? '')?.[1];
  if (line === undefined) return [];
  const words = splitWords(line);
  if (programName(words[0] ?? '') !== 'env') return words;
  const inner = words.findIndex((word, n) => n > 0 && !word.startsWith('-') && !word.includes('='));
  return inner < 0 ? words : [...words.slice(inner), ...words.slice(1, inner)];
}

/** The limit of entry points of one package. */
const MAX_ENTRY_POINTS = 32;

/** The files that a `package.json` names as its entry points. */
export function entryPointsIn(path: string, text: string | undefined): readonly string[] {
  if (basename(path) !== 'package.json' || text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return [];
    const { main, exports: exported } = value;
    const root = isObject(exported) && Object.hasOwn(exported, '.') ? exported['.'] : exported;
    return [...stringsIn(main), ...stringsIn(root)].filter((one) => one.length < 1_024).slice(0, MAX_ENTRY_POINTS);
  } catch {
    return []; // not JSON, or nested too deeply
  }
}

/** The strings in a value: the conditions of an export can be nested. */
function stringsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value];
  if (!isObject(value) || depth > 4) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key.startsWith('./') ? [] : stringsIn(inner, depth + 1)));
}
