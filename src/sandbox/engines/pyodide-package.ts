import { dirname, join } from 'node:path';
import { isObject } from '../../base/index.js';

export interface PyodidePackage {
  readonly folder: string;
  readonly version: string;
}

/** Finds Pyodide beside Portolan or in Portolan's own directory; never in a project directory, which is untrusted. */
export function findPyodide(ownFolder: string): PyodidePackage | undefined {
  const { createRequire } = process.getBuiltinModule('node:module');
  const { readFileSync, realpathSync } = process.getBuiltinModule('node:fs');
  for (const from of [import.meta.url, join(ownFolder, 'index.js')]) {
    try {
      const manifest = realpathSync(createRequire(from).resolve('pyodide/package.json'));
      const facts: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
      if (isObject(facts) && typeof facts.version === 'string')
        return { folder: dirname(manifest), version: facts.version };
    } catch {
      // Not installed here; try the next directory.
    }
  }
  return undefined;
}
