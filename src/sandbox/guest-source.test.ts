import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

it('matches the files in guest/ (if not, run `node src/sandbox/guest/embed.mjs`)', () => {
  const made = execFileSync(process.execPath, [here('./guest/embed.mjs'), '--print'], { encoding: 'utf8' });
  // Compares a boolean, because the diff of these texts would be unreadable.
  expect(readFileSync(here('./guest-source.ts'), 'utf8') === made).toBe(true);
});
