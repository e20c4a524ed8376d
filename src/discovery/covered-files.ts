import { isAbsolute, join } from 'node:path';
import { parseEnv } from 'node:util';
import { decodeText, MAX_FILE_BYTES, MAX_WHOLE_BYTES, sha256 } from '../base/index.js';
import { type Definition, envFilePath, type Host, startFolder } from '../model/index.js';
import { type Content, type CoveredFile, contentHash, type LoaderVariable, NO_CONTENT } from '../policy/index.js';
import { type NamedPaths, pathsNamedBy, pathsNamedByHelper, piecesOf } from './launch-paths.js';
import { programFile, type Variables } from './program-file.js';
import { type ProjectBounds, projectBounds } from './project-bounds.js';
import { isWritableByOthers } from './shared-access.js';
import { interpreterIn, isScript, mainIn, pathsToTry } from './start-files.js';

/** Variables that decide which program or library is loaded, or what runs before it. */
const LOADER_VARIABLE =
  /^(?:PATH|PATHEXT|NODE_OPTIONS|NODE_PATH|LD_.*|DYLD_.*|PYTHON.*|BASH_ENV|ENV|PERL5(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|GIT_.*|SHELL|COMSPEC|HOME|XDG_CONFIG_HOME|npm_config_.*|UV_.*|PIP_.*)$/i;
/** Matches env files by name. Their lines are values, many of them secret. */
const ENV_FILE = /(?:^|[/\\.])env(?:\.[\w-]+)?$/i;
/** The limits of files and bytes per server. Beyond the byte limit only the two ends of a file are hashed. */
const MAX_FILES = 256;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
/** For larger texts a change is reported for the file, not for its lines. */
const MAX_COMPARED_BYTES = 512 * 1024;
/** The limit of directories from the command line in which its other words are looked up. */
const MAX_BASES = 16;
/** The limit of words taken from variables such as `NODE_OPTIONS`. */
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
 * Reads the files of each entry once, so that the question to the user, the verdict and the stored approval refer to the
 * same content.
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
    const bases = this.#bases([...named.pieces, ...loaded]);
    const pieces = [...named.pieces, ...loaded].flatMap((piece) => pathsToTry(piece, named));
    this.#pieces(pieces, bases, own, role);
    // `npm run`, `make` or `node .` start a file that the command line does not name.
    const folders = named.isRunner ? bases : named.isInterpreted ? bases.slice(1) : [];
    const startFiles = pathsToTry('.', { ...named, isFolder: true });
    for (const folder of folders) this.#pieces(startFiles, [folder], own, role);
  }

  /** The start directory, and directories of the project that the command line names: `cd sub && python3 server.py`. */
  #bases(pieces: readonly string[]): readonly string[] {
    const bases = new Set([this.#folder]);
    for (const piece of pieces) {
      const folder = this.#at(this.#folder, piece).replace(/(?<=.)[/\\]+$/, '');
      if (!bases.has(folder) && this.#bounds.isInside(folder) && this.#host.files.status(folder)?.kind === 'folder')
        bases.add(folder);
    }
    this.#isClear &&= bases.size <= MAX_BASES;
    return [...bases].slice(0, MAX_BASES);
  }

  #pieces(pieces: readonly string[], bases: readonly string[], own: Variables, role: 'file' | 'headers helper'): void {
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

  /** Adds a file and the interpreter in its first line. */
  #script(path: string, own: Variables, role: CoveredFile['role']): void {
    if (this.#files.has(path)) return;
    const { text } = this.#add(path, role);
    for (const program of interpreterIn(text)) this.#program(program, own, false);
    const main = mainIn(path, text);
    if (main !== undefined)
      this.#pieces(pathsToTry(main, { isInterpreted: true, isRunner: false }), [join(path, '..')], own, 'file');
  }

  #program(name: string, own: Variables, isHelper: boolean): void {
    const path = programFile(name, this.#folder, own, this.#host);
    if (path === undefined) return;
    if (!this.#isChangeable(path) && !(isHelper && /[/\\]/.test(name))) return;
    this.#script(path, own, isHelper ? 'headers helper' : 'program');
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

  #at(base: string, piece: string): string {
    return isAbsolute(piece) ? piece : join(base, piece);
  }
}

function variablesIn(text: string): Variables {
  const set = Object.entries(parseEnv(text)).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(set);
}

function loadersIn(variables: Variables): string[] {
  return Object.keys(variables).filter((name) => LOADER_VARIABLE.test(name));
}
