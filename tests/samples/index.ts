import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Samples } from './sample.js';

/** Loads every file with samples in this directory. */
export async function allSamples(): Promise<Samples[]> {
  const folder = dirname(fileURLToPath(import.meta.url));
  const names = readdirSync(folder).filter((name) => !['index.ts', 'sample.ts'].includes(name));
  const modules = await Promise.all(
    names.map((name): Promise<Record<string, Samples>> => import(/* @vite-ignore */ `./${name}`)),
  );
  return modules.flatMap((module) => Object.values(module));
}
