import { join, sep } from 'node:path';
import { type Files, matchesWildcard } from '../base/index.js';

/** The limits of depth and directories for `**`, because a plugin cache may contain whole repositories. */
const MAX_DEPTH = 8;
const MAX_FOLDERS = 5_000;
/** Directories that contain no configuration and can be very large. */
const SKIPPED = new Set(['node_modules', '.git']);

export interface Unlisted {
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}

/**
 * The files that match a pattern of `*` and `**`, in code-unit order of names; directories do not match. A `*` in `base`,
 * the prefix of the pattern, is a literal part of a directory name.
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
        // A symlink may lead back up; its target is found at its actual path.
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

/** `*` also matches a leading dot, but not the AppleDouble files (`._name`) of macOS. */
function matchesSegment(segment: string, name: string): boolean {
  return !name.startsWith('._') && matchesWildcard(segment, name);
}
