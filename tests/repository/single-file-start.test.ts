import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../../dist');
/** Static imports as the bundler writes them. Dynamic imports have parentheses. */
const STATIC_IMPORT = /(?:import|from)"(\.[^"]+)"/g;

function loadedWith(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, next = ''] of readFileSync(path, 'utf8').matchAll(STATIC_IMPORT))
    loadedWith(join(dirname(path), next), found);
  return found;
}

it('loads at most four files at the start of a command', () => {
  const loaded = loadedWith(join(dist, 'program.js'));
  expect(loaded.size).toBeGreaterThan(1);
  expect(loaded.size).toBeLessThanOrEqual(4);
});

it.each(['program.js', 'index.js'])('does not load zod with %s (docs/decisions/0002)', (entry) => {
  for (const path of loadedWith(join(dist, entry))) expect(readFileSync(path, 'utf8')).not.toMatch(/from"zod"/);
});

it('runs a command only in program.js, although the other entries load the same chunks', () => {
  for (const entry of ['cli.js', 'serve-alone.js', 'daemon-settings.js'])
    for (const path of loadedWith(join(dist, entry)))
      expect(readFileSync(path, 'utf8')).not.toContain('process.exitCode=await');
  expect(readFileSync(join(dist, 'program.js'), 'utf8')).toContain('process.exitCode=await');
});
