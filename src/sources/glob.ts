import { join, sep } from 'node:path';
import { type Files, matchesWildcard } from '../base/index.js';

/** How deep `**` looks, and how many folders it opens: a plugin cache may hold whole repositories. */
const MAX_DEPTH = 8;
const MAX_FOLDERS = 5_000;
/** Folders in which nobody writes configuration, and which can be endless. */
const SKIPPED = new Set(['node_modules', '.git']);

export interface Unlisted {
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}

/**
 * The files that a pattern of `*` and `**` matches, in code-unit order of names; folders are no match. A `*` in `base`,
 * with which the pattern begins, is part of a folder's name.
 */
export function glob(files: Files, pattern: string, base = ''): { matches: string[]; unlisted: Unlisted[] } {
  const matches: string[] = [];
  const unlisted: Unlisted[] = [];
  let budget = MAX_FOLDERS;

  const list = (folder: string, segment: string) => {
    budget -= 1;
    if (budget < 0) return [];
    const reading = files.list(folder, segment === '**' ? '*' : segment);
    if (reading.kind === 'failed') unlisted.push({ path: folder, message: reading.message, hint: reading.hint });
    return reading.kind === 'read' ? reading.names : [];
  };

  const descend = (folder: string, segments: readonly string[], depth: number): void => {
    const [segment, ...rest] = segments;
    if (segment === undefined) return;
    if (segment === '**') {
      descend(folder, rest, depth);
      if (depth >= MAX_DEPTH) return;
      for (const { name, folder: isFolder, link } of list(folder, segment)) {
        // A link may lead back up; what is linked in is found where it really is.
        if (isFolder && !link && !SKIPPED.has(name)) descend(join(folder, name), segments, depth + 1);
      }
      return;
    }
    if (!segment.includes('*')) {
      const path = join(folder, segment);
      if (rest.length > 0) descend(path, rest, depth);
      else if (files.exists(path)) matches.push(path);
      return;
    }
    for (const { name, folder: isFolder } of list(folder, segment)) {
      if (!matchesSegment(segment, name)) continue;
      if (rest.length > 0) {
        if (isFolder) descend(join(folder, name), rest, depth);
      } else if (!isFolder) matches.push(join(folder, name));
    }
  };

  const segments = pattern.split(sep);
  const fixed = (base.endsWith(sep) ? base.slice(0, -1) : base).split(sep).length;
  const first = segments.findIndex((segment, n) => n >= fixed && segment.includes('*'));
  descend(segments.slice(0, first).join(sep) || sep, segments.slice(first), 0);
  return { matches, unlisted };
}

/** `*` also matches a dot at the front of a name, but not what macOS leaves beside a file on a foreign disk. */
function matchesSegment(segment: string, name: string): boolean {
  return !name.startsWith('._') && matchesWildcard(segment, name);
}
