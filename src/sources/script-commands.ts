import { dirname, extname, isAbsolute, resolve } from 'node:path';
import { commandsIn, splitWords } from '../base/index.js';
import { baseName, isShell, type Started, startedBy } from './command-line.js';

/** Commands that only prepare for the main command of a script. */
const PREPARATION = new Set([
  ...['set', 'setopt', 'export', 'declare', 'local', 'readonly', 'unset', 'shopt', 'umask', 'ulimit', 'trap', 'shift'],
  ...['cd', 'pushd', 'popd', 'pwd', 'dirname', 'readlink', 'realpath', 'uname', 'source', '.', 'eval', 'exit'],
  ...['true', 'false', ':', 'test', '[', '[[', 'echo', 'printf', 'sleep', 'fi', 'done', '}', 'nvm', 'wait'],
  ...['setlocal', 'endlocal', 'rem', 'title', 'chcp', 'goto', 'call', 'set-location', 'param'],
]);
const NODE_PROGRAMS = new Set(['node', 'nodejs', 'bun', 'deno', 'tsx', 'ts-node']);
/** Node modules that a script may load to start another program. */
const BUILTIN = /^(?:node:)?(?:child_process|fs|os|path|process|url|module)$/;
/** The directory of the script, as shells and `cmd` write it; any variable may contain it. */
const OWN_FOLDER = /^(?:(?:\$\(dirname [^()]*\)|\$\w+|\$\{[^{}]*\})[\\/]+|%~dp0%?[\\/]*)/;

/**
 * The programs that each command of a script starts, without preparation commands. Undefined if the file is not a script
 * or does more than start programs. `text` is the whole file; it is never executed.
 */
export function scriptCommands(path: string, text: string): readonly (readonly Started[])[] | undefined {
  if (text.includes('\0')) return undefined;
  const [, line = ''] = /^#!([^\r\n]*)/.exec(text) ?? [];
  const interpreter = splitWords(line);
  const [command, ...args] = interpreter;
  if (command === undefined) return byEnding(path, text);
  const body = text.slice(line.length + 2);
  if (interpreter.some(isShell)) return inShellFile(path, body);
  if (interpreter.some((word) => NODE_PROGRAMS.has(baseName(word)))) return inNodeFile(path, body);
  return [startedBy(command, [...args, path])];
}

function byEnding(path: string, text: string): readonly (readonly Started[])[] | undefined {
  const ending = extname(path).toLowerCase();
  if (/^(?:|\.(?:sh|bash|zsh|command|cmd|bat|ps1))$/.test(ending)) return inShellFile(path, text);
  return /^\.[cm]?[jt]s$/.test(ending) ? inNodeFile(path, text) : undefined;
}

/** Shell scripts, batch files and PowerShell, as far as they can be parsed without running them. */
function inShellFile(path: string, text: string): readonly (readonly Started[])[] {
  const plain = text.split('\n').map(withoutShellComment).join('\n');
  return commandsIn(plain.replaceAll(/\d?>&[\d-]|&>>?/g, ' '))
    .map((words) => words.filter((word, n) => !/^\d?[<>]/.test(word) && !/^\d?[<>]{1,2}$/.test(words[n - 1] ?? '')))
    .map((words) => words.map((word) => word.replace(OWN_FOLDER, () => `${dirname(path)}/`)))
    .map(([command = '', ...args]) => startedBy(command, args))
    .filter(([first]) => first !== undefined && !isPreparation(first));
}

/**
 * Removes comments. A `#` in quotes starts no comment, so only one after the last quote counts; `@` silences a batch
 * line.
 */
function withoutShellComment(line: string): string {
  if (/^\s*(?:#|::|rem\s)/i.test(line)) return '';
  const afterQuotes = Math.max(line.lastIndexOf("'"), line.lastIndexOf('"')) + 1;
  const at = line.indexOf(' #', afterQuotes);
  return (at < 0 ? line : line.slice(0, at)).replace(/^\s*@/, '');
}

function isPreparation({ word }: Started): boolean {
  // A PowerShell assignment, or one whose value is the output of a command.
  return PREPARATION.has(word.toLowerCase()) || /^\$|=/.test(word) || /^:\w+$/.test(word);
}

/** Longer than any real statement that loads a module; the limit bounds the time for hostile files. */
const MAX_STATEMENT = 500;
const LOADED =
  /^(?:(?:const|let|var)\s+[\w${},:\s]+=\s*)?(?:await\s+)?(?:require|import)\s*\(\s*(['"])([^'"]+)\1\s*\)$/;
const IMPORTED = /^import\s+(?:[\w${},*\s]+\sfrom\s*)?(['"])([^'"]+)\1$/;
const CHILD =
  /\b(?:spawn|spawnSync|execFile|execFileSync|exec|execSync|fork)\s*\(\s*(['"])([^'"\n]+)\1\s*(?:,\s*\[([^\][]*)\])?/g;
const SPECIFIER = /(?:\brequire\s*\(|\bimport\s*\(|\bfrom|\bimport)\s*(['"])([^'"\n]+)\1/g;

/** A Node script that only loads other modules, or only starts a program with inherited streams. */
function inNodeFile(path: string, text: string): readonly (readonly Started[])[] | undefined {
  const plain = withoutComments(text);
  const statements = plain
    .split(/[;\n]/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '' && !/^(['"])use strict\1$/.test(statement));
  const loaded = statements.map((statement) =>
    statement.length > MAX_STATEMENT ? undefined : (LOADED.exec(statement) ?? IMPORTED.exec(statement))?.[2],
  );
  if (loaded.every((specifier) => specifier !== undefined))
    return loaded.filter((specifier) => !BUILTIN.test(specifier)).map((specifier) => [moduleAt(specifier, path)]);
  const children = [...plain.matchAll(CHILD)];
  const isOnlyParent =
    children.length > 0 &&
    /\bstdio\s*:\s*\[?\s*(['"])inherit\1/.test(plain) &&
    [...plain.matchAll(SPECIFIER)].every(([, , specifier = '']) => BUILTIN.test(specifier));
  if (!isOnlyParent) return undefined;
  return children.map(([, , command = '', list = '']) =>
    startedBy(
      command,
      [...list.matchAll(/(['"])([^'"]*)\1/g)].map(([, , word = '']) => word),
    ),
  );
}

function withoutComments(text: string): string {
  const kept: string[] = [];
  let at = 0;
  for (let start = text.indexOf('/*'); start >= 0; start = text.indexOf('/*', at)) {
    const end = text.indexOf('*/', start + 2);
    if (end < 0) break;
    kept.push(text.slice(at, start));
    at = end + 2;
  }
  kept.push(text.slice(at));
  return kept.join('').replaceAll(/^[ \t]*\/\/.*$/gm, '');
}

function moduleAt(specifier: string, path: string): Started {
  if (/^\.{0,2}\//.test(specifier) || isAbsolute(specifier))
    return { kind: 'program', word: resolve(dirname(path), specifier), rest: [] };
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  return { kind: 'package', word: name, rest: [] };
}
