import { dirname, isAbsolute, join } from 'node:path';
import { parseEnv } from 'node:util';
import { decodeText, MAX_FILE_BYTES, MAX_WHOLE_BYTES, sha256 } from '../base/index.js';
import { type Definition, envFilePath, type Host, programName, startFolder } from '../model/index.js';
import { type Content, type CoveredFile, contentHash, type LoaderVariable, NO_CONTENT } from '../policy/index.js';
import { isInterpreter, type NamedPaths, pathsNamedBy, pathsNamedByHelper, piecesOf } from './launch-paths.js';
import { programFiles, type Variables } from './program-file.js';
import { type ProjectBounds, projectBounds } from './project-bounds.js';
import { isWritableByOthers } from './shared-access.js';
import { entryPointsIn, installedPaths, interpreterWords, isScript, pathsToTry, startFiles } from './start-files.js';

/** Variables that decide which program or library is loaded, or what runs before it. */
const LOADER_VARIABLE =
  /^(?:PATH|PATHEXT|NODE_OPTIONS|NODE_PATH|LD_.*|DYLD_.*|PYTHON.*|BASH_ENV|ENV|PERL5(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|LUA_.*|PHPRC|PHP_INI_SCAN_DIR|GEM_.*|BUNDLE_.*|DOTNET_STARTUP_HOOKS|CORECLR_.*|GIT_.*|SHELL|COMSPEC|HOME|ZDOTDIR|XDG_CONFIG_HOME|npm_config_.*|UV_.*|PIP_.*)$/i;
/** Matches env files by name. Their lines are values, many of them secret. */
const ENV_FILE = /(?:^|[/\\.])env(?:\.[\w-]+)?$/i;
/** The limits of files and bytes per server. Beyond the byte limit only the two ends of a file are hashed. */
const MAX_FILES = 256;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
/** For larger texts a change is reported for the file, not for its lines. */
const MAX_COMPARED_BYTES = 512 * 1024;
/** The maximum number of directories in a command line in which its other words are looked up. */
const MAX_BASES = 16;
/** The maximum number of paths to look up; without it, a hostile entry could take seconds of every scan. */
const MAX_TRIES = 100_000;
/** The maximum number of parent directories in which packages and files of runners are looked up. */
const MAX_ABOVE = 32;
/** The maximum number of words taken from variables such as `NODE_OPTIONS`. */
const MAX_LOADED = 500;

export interface CheckedContent extends Content {
  /** The text of the env file for which the hash was computed. */
  readonly envFileText?: string;
}

/** Reads every file that an approval of this entry covers. It executes nothing and opens no FIFO or device. */
export function coveredContent(definition: Definition, host: Host): CheckedContent {
  const { command, headersHelper, envFile } = definition;
  if (command === undefined && headersHelper === undefined && envFile === undefined) return NO_CONTENT;
  return new Collection(definition, host).content();
}

/**
 * Reads the files of each entry once, so that the question to the user, the verdict and the stored approval refer to
 * the same content.
 */
export function contentReader(host: Host): (definition: Definition) => CheckedContent {
  const known = new WeakMap<Definition, CheckedContent>();
  return (definition) => {
    const content = known.get(definition) ?? coveredContent(definition, host);
    known.set(definition, content);
    return content;
  };
}

class Collection {
  readonly #files = new Map<string, CoveredFile>();
  readonly #definition: Definition;
  readonly #host: Host;
  readonly #folder: string;
  readonly #bounds: ProjectBounds;
  #tries = 0;
  #bytesRead = 0;
  #isClear = true;

  constructor(definition: Definition, host: Host) {
    this.#definition = definition;
    this.#host = host;
    this.#folder = startFolder(definition, host);
    this.#bounds = projectBounds(definition, this.#folder, host);
  }

  content(): CheckedContent {
    const { env = {}, headersHelper } = this.#definition;
    const path = envFilePath(this.#definition, this.#folder);
    const envFile = path === undefined ? undefined : this.#add(path, 'env file');
    const own = { ...envFile?.variables, ...env };
    const named = pathsNamedBy(this.#definition);
    this.#named(named, own, 'file');
    const ofHelper = headersHelper === undefined ? undefined : pathsNamedByHelper(this.#definition, this.#host.home);
    if (ofHelper) this.#named(ofHelper, env, 'headers helper');
    const files = [...this.#files.values()];
    const loaders: LoaderVariable[] = [
      ...loadersIn(env).map((name) => ({ name, setBy: 'entry' as const })),
      ...files
        .flatMap(({ variables = {} }) => loadersIn(variables))
        .map((name) => ({ name, setBy: 'env file' as const })),
    ];
    return {
      files,
      loaders,
      hasCode: named.hasCode || ofHelper?.hasCode === true,
      hash: contentHash(files),
      isClear: this.#isClear && files.length <= MAX_FILES,
      ...(envFile?.text !== undefined && { envFileText: envFile.text }),
    };
  }

  #named(named: NamedPaths, own: Variables, role: 'file' | 'headers helper'): void {
    this.#isClear &&= named.isClear;
    for (const program of named.programs) this.#program(program, own, role === 'headers helper');
    const loaded = loadersIn(own).flatMap((name) => piecesOf(own[name] ?? ''));
    this.#isClear &&= loaded.length <= MAX_LOADED;
    const isInterpreted = named.isInterpreted || this.#runsInterpreter(named.programs, own);
    const traits = { ...named, isInterpreted, isShell: named.isWrapped };
    const all = [...named.pieces, ...loaded];
    const { bases, opened } = this.#bases(all, traits);
    // A shell expands `~`, so the words are looked up in the home directory too.
    const tried = all.flatMap((piece) => pathsToTry(piece, traits));
    this.#pieces(tried, [...bases, this.#host.home], own, role);
    // `PATH=./bin server` in a shell or after `env`.
    if (named.isWrapped) this.#pieces(named.programs.filter(isBareName), opened, own, role);
    // `npm run`, `make` or `node .` start a file that the command line does not name.
    this.#pieces(startFiles(traits), named.isRunner ? bases : opened, own, role);
    if (!traits.isInterpreted && !traits.isRunner) return;
    const around = this.#around(bases);
    this.#pieces(startFiles({ ...traits, isInterpreted: false, isShell: false }), around, own, role);
    this.#pieces(
      all.flatMap((piece) => installedPaths(piece, traits)),
      around,
      own,
      role,
    );
  }

  /** A link in the project can give an interpreter any name. */
  #runsInterpreter(programs: readonly string[], own: Variables): boolean {
    const files = programs.flatMap((name) => programFiles(name, this.#folder, own, this.#host));
    return files.some((file) => isInterpreter(programName(this.#host.files.realPath(file) ?? file)));
  }

  /**
   * The start directory, and directories of the project that the command line names, as in `cd sub && python3
   * server.py`. `opened` are only the named ones.
   */
  #bases(
    pieces: readonly string[],
    { isWrapped, isRunner }: NamedPaths,
  ): Record<'bases' | 'opened', readonly string[]> {
    const bases = new Set([this.#folder]);
    const opened = new Set<string>();
    for (const base of bases) {
      for (const piece of pieces) {
        const folder = this.#at(base, piece).replace(/(?<=.)[/\\]+$/, '');
        if (!this.#bounds.isInside(folder) || this.#host.files.status(folder)?.kind !== 'folder') continue;
        opened.add(folder);
        if (bases.size <= MAX_BASES) bases.add(folder);
      }
      // `cd a && cd b`, `make -C a -C b`: each directory is relative to the one before.
      if (!isWrapped && !isRunner) break;
    }
    this.#isClear &&= bases.size <= MAX_BASES;
    return { bases: [...bases].slice(0, MAX_BASES), opened: [...opened].slice(0, MAX_BASES) };
  }

  /** The directories and those above them, as far as they belong to the project. */
  #around(folders: readonly string[]): readonly string[] {
    const around = new Set<string>();
    for (let folder of folders) {
      while (around.size < MAX_ABOVE && this.#bounds.isInside(folder) && !around.has(folder)) {
        around.add(folder);
        folder = dirname(folder);
      }
    }
    return [...around];
  }

  #pieces(pieces: readonly string[], bases: readonly string[], own: Variables, role: 'file' | 'headers helper'): void {
    this.#tries += pieces.length * bases.length;
    if (this.#tries > MAX_TRIES) {
      this.#isClear = false;
      return;
    }
    for (const base of bases) {
      for (const piece of pieces) {
        const path = this.#at(base, piece);
        const kind = this.#host.files.status(path)?.kind;
        if (kind === undefined || kind === 'folder') continue;
        // Files of a headers helper are covered wherever they are, but not a device outside the project.
        const counts = this.#isChangeable(path) || (role === 'headers helper' && kind === 'file');
        if (counts) this.#script(path, own, role);
      }
    }
  }

  /** Adds a file, what its first line names if it is a script, and the entry points if it is a `package.json`. */
  #script(path: string, own: Variables, role: CoveredFile['role']): void {
    if (this.#files.has(path)) return;
    const { text } = this.#add(path, role);
    const [interpreter, ...words] = interpreterWords(text);
    if (interpreter !== undefined) {
      this.#program(interpreter, own, false);
      this.#pieces(words.flatMap(piecesOf), [this.#folder], own, 'file');
    }
    const folder = dirname(path);
    for (const main of entryPointsIn(path, text)) {
      this.#pieces(pathsToTry(main, { isInterpreted: true }), [folder], own, 'file');
      // An entry point may be a directory. Its own package.json has no effect.
      const inner = ['index.js', 'index.cjs', 'index.mjs', 'index.ts', 'index.json', 'index.node'];
      this.#pieces(inner, [this.#at(folder, main)], own, 'file');
    }
  }

  #program(name: string, own: Variables, isHelper: boolean): void {
    for (const path of programFiles(name, this.#folder, own, this.#host)) {
      if (this.#isChangeable(path)) this.#script(path, own, isHelper ? 'headers helper' : 'program');
      else {
        if (isHelper && /[/\\]/.test(name)) this.#script(path, own, 'headers helper');
        return;
      }
    }
  }

  /** Whether the file can be changed by the project or by other users of the machine. */
  #isChangeable(path: string): boolean {
    const target = this.#host.files.realPath(path) ?? path;
    if (this.#bounds.isInside(path) || this.#bounds.isInside(target)) return true;
    if (this.#host.files.status(path)?.kind !== 'file') return false;
    return [path, target].some((one) => isWritableByOthers(one, this.#host.files, process.getuid?.()));
  }

  #add(path: string, named: CoveredFile['role']): CoveredFile {
    // For example the argument of `node --env-file`.
    const role = named === 'file' && ENV_FILE.test(path) ? 'env file' : named;
    const known = this.#files.get(path);
    if (known) return known;
    const target = this.#host.files.realPath(path) ?? path;
    const file: CoveredFile = { path, target, role, ...this.#read(path, role) };
    // One file more than the limit is stored, so that the excess is detected.
    if (this.#files.size <= MAX_FILES) this.#files.set(path, file);
    return file;
  }

  #read(path: string, role: CoveredFile['role']): Omit<CoveredFile, 'path' | 'target' | 'role'> {
    const left = Math.max(0, MAX_TOTAL_BYTES - this.#bytesRead);
    const content = this.#host.files.content(
      path,
      role === 'env file' ? MAX_FILE_BYTES : Math.min(MAX_WHOLE_BYTES, left),
    );
    switch (content.kind) {
      case 'unreadable':
        return { extent: 'unread', digest: content.why, why: content.why };
      case 'ends':
        this.#bytesRead += content.bytes.length;
        return { extent: 'ends', digest: JSON.stringify([content.size, content.inode, sha256(content.bytes)]) };
      case 'whole': {
        this.#bytesRead += content.bytes.length;
        const read = { extent: 'whole', digest: sha256(content.bytes) } as const;
        if (role === 'env file') {
          const text = decodeText(Buffer.from(content.bytes));
          return { ...read, text, variables: variablesIn(text) };
        }
        const isText = content.bytes.length <= MAX_COMPARED_BYTES && !content.bytes.includes(0);
        const text = isText ? Buffer.from(content.bytes).toString() : undefined;
        return { ...read, ...(text !== undefined && { text, isScript: isScript(path, text) }) };
      }
    }
  }

  /** The path that a word means in a directory. A process that starts there sees itself under `/proc`. */
  #at(base: string, piece: string): string {
    const path = isAbsolute(piece)
      ? join(piece)
      : join(base, base === this.#host.home ? piece.replace(/^~(?=[/\\])/, '.') : piece);
    const [, of, rest = ''] = /^\/proc\/(?:self|thread-self(?:\/task\/\d+)?|\d+)\/(cwd|root)(\/.*)?$/.exec(path) ?? [];
    return of === undefined ? path : join(of === 'cwd' ? this.#folder : '/', rest);
  }
}

function isBareName(name: string): boolean {
  return !/[/\\]/.test(name);
}

function variablesIn(text: string): Variables {
  const set = Object.entries(parseEnv(text)).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(set);
}

function loadersIn(variables: Variables): string[] {
  return Object.keys(variables).filter((name) => LOADER_VARIABLE.test(name));
}
