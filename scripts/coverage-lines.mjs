// The lines of the sources that were executed: by the test process (Vitest's report) and by the programs that it
// started (V8 coverage of dist/, mapped to the sources by source maps).
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eachMapping, TraceMap } from '@jridgewell/trace-mapping';

/**
 * The lines on which statements begin, and whether one of them was executed: `path → line → hit`, as Istanbul counts
 * lines.
 */
export function linesOf(report, root) {
  const files = new Map();
  for (const { path, statementMap, s: counts } of Object.values(report)) {
    const lines = new Map();
    for (const [id, { start }] of Object.entries(statementMap))
      lines.set(start.line, lines.get(start.line) === true || counts[id] > 0);
    files.set(named(relative(root, path)), lines);
  }
  return files;
}

/**
 * Adds the lines that the programs executed. A line without a statement in Vitest's report is not counted. `maps` has
 * the same layout as dist/.
 */
export function addChildren(files, folder, maps, root) {
  // Without the maps nothing would be counted, and no test would notice.
  if (!existsSync(maps)) throw new Error(`there are no source maps in ${maps}`);
  const mapOf = (path) => join(maps, `${relative(join(root, 'dist'), path)}.map`);
  for (const [path, ran] of ranIn(folder, mapOf, root)) {
    for (const [source, line] of linesRun(path, mapOf(path), ran, root)) {
      const lines = files.get(source);
      if (lines?.has(line)) lines.set(line, true);
    }
  }
}

/** Every character of every built file that a process executed: `path → Uint8Array`. */
function ranIn(folder, mapOf, root) {
  const dist = join(root, 'dist') + sep;
  const files = new Map();
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    for (const { url, functions } of resultsIn(file)) {
      if (!url.startsWith('file:')) continue;
      const path = fileURLToPath(url);
      if (!path.startsWith(dist) || !existsSync(mapOf(path))) continue;
      const all = files.get(path) ?? new Uint8Array(readFileSync(path, 'utf8').length);
      files.set(path, all);
      merge(all, functions);
    }
    // Deleted, because there are many large reports and each is read only once.
    rmSync(file);
  }
  return files;
}

/** A process that was killed while it wrote leaves an incomplete file. */
function resultsIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).result ?? [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** Outer ranges come before the inner ones, and an inner range takes precedence. */
function merge(all, functions) {
  const own = new Uint8Array(all.length);
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count } of ranges) own.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  for (let at = 0; at < all.length; at += 1) if (own[at] === 1) all[at] = 1;
}

function* linesRun(path, map, ran, root) {
  const starts = [0];
  for (const match of readFileSync(path, 'utf8').matchAll(/\n/g)) starts.push(match.index + 1);
  const found = [];
  eachMapping(new TraceMap(readFileSync(map, 'utf8'), path), (mapping) => found.push(mapping));
  for (const { generatedLine, generatedColumn, source, originalLine } of found) {
    if (source === null || ran[(starts[generatedLine - 1] ?? 0) + generatedColumn] !== 1) continue;
    yield [named(relative(root, source)), originalLine];
  }
}

function named(path) {
  return path.split(sep).join('/');
}
