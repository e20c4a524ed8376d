// Keeps the declarations that are reachable from an entry of the package; the other declarations that tsc writes are of
// no use to anyone.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Removes every file under the directory that no entry reaches through imports. */
export function pruneTypes(folder, entries) {
  const reached = new Set();
  const waiting = entries.map((entry) => join(folder, entry));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file) || !existsSync(file)) continue;
    reached.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)\.js["']/g)) {
      waiting.push(resolve(dirname(file), `${path}.d.ts`));
    }
  }
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    if (!reached.has(path)) rmSync(path);
  }
  removeEmpty(folder);
}

function removeEmpty(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
}
