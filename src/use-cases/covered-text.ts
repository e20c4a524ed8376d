import { relative, sep } from 'node:path';
import { type Discovery, mixedNameText } from '../discovery/index.js';
import type { Definition } from '../model/index.js';
import { type Content, type CoveredFile, type LoaderVariable, NO_CONTENT } from '../policy/index.js';

/** The text about the files that an approval covers. */
export interface Coverage {
  readonly files: readonly string[];
  /** Warnings to show before an approval, one sentence each. */
  readonly notes: readonly string[];
}

/** The files that an approval of this entry covers; empty if the entry needs no approval. */
export function contentOf(definition: Definition, { grounds }: Discovery): Content {
  const isAsked = grounds.mustAsk(definition) || definition.state === 'pending-approval';
  return isAsked && grounds.fileChanges !== 'off' ? grounds.contentOf(definition) : NO_CONTENT;
}

export function coverageOf(definition: Definition, discovery: Discovery): Coverage {
  const { grounds, host } = discovery;
  const { files, loaders, hasCode, isClear } = contentOf(definition, discovery);
  const short = (path: string) => shortened(path, host.repository ?? host.cwd);
  const mixed = mixedNameText(definition.name);
  const isStarted = definition.command !== undefined || definition.headersHelper !== undefined;
  return {
    files: files.map((file) => fileText(file, short)),
    notes: [
      ...(mixed === undefined ? [] : [mixed]),
      ...loaderNotes(loaders),
      ...files.flatMap((file) => limitNotes(file, short)),
      ...(hasCode ? ['its command line contains code: files whose names this code computes are not covered'] : []),
      ...(isClear ? [] : ['its command line names more files than can be checked, so it is not started']),
      ...(isStarted ? [restNote(files, grounds.fileChanges)] : []),
    ],
  };
}

function restNote(files: readonly CoveredFile[], fileChanges: 'ask' | 'warn' | 'off'): string {
  if (fileChanges === 'off') return 'the content of files is not checked: "approval.files" is "off"';
  if (files.length === 0) return 'only the entry is covered: no file, and nothing that the command downloads or reads';
  const consequence = fileChanges === 'warn' ? '; a change is only reported: "approval.files" is "warn"' : '';
  return `not covered: files that these files import or read, and everything that the command downloads${consequence}`;
}

function fileText({ path, target, role, text, variables }: CoveredFile, short: (path: string) => string): string {
  const names = variables && Object.keys(variables).join(', ');
  const details = [
    ...(role === 'file' ? [] : [role]),
    ...(target === path ? [] : [`link to ${short(target)}`]),
    ...(names === undefined ? [] : [names === '' ? 'sets nothing' : `sets ${names}`]),
    ...(names === undefined && text !== undefined ? [`${text.split('\n').length} lines`] : []),
  ];
  return `${short(path)}${details.length === 0 ? '' : ` (${details.join('; ')})`}`;
}

function limitNotes({ path, extent, why = '' }: CoveredFile, short: (path: string) => string): string[] {
  switch (extent) {
    case 'whole':
      return [];
    case 'ends':
      return [`${short(path)} is large: only its size, its inode and its first and last MB are checked`];
    case 'unread':
      return [`the content of ${short(path)} is not checked: it is ${why}`];
  }
}

const EFFECTS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:PATH|PATHEXT)$/i,
    'it decides in which directories programs are searched, so another program may run under the same name',
  ],
  [/^NODE_(?:OPTIONS|PATH)$/, 'it decides which code Node.js loads before and with the server'],
  [/^(?:LD|DYLD)_/, 'it decides which libraries the system loads into the server'],
  [/^PYTHON/, 'it decides which code Python loads before and with the server'],
];

function loaderNotes(loaders: readonly LoaderVariable[]): string[] {
  const notes = loaders.map(({ name, setBy }) => {
    const effect =
      EFFECTS.find(([pattern]) => pattern.test(name))?.[1] ?? 'it decides which code or programs are loaded';
    return `its ${setBy} sets ${name}: ${effect}`;
  });
  return [...new Set(notes)];
}

function shortened(path: string, project: string): string {
  return path.startsWith(`${project}${sep}`) ? relative(project, path) : path;
}
