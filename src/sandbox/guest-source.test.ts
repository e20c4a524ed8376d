import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

it('is what the files in guest/ say (else run `node src/sandbox/guest/embed.mjs`)', () => {
  const made = execFileSync(process.execPath, [here('./guest/embed.mjs'), '--print'], { encoding: 'utf8' });
  // Not the texts themselves: nobody wants to read that difference.
  expect(readFileSync(here('./guest-source.ts'), 'utf8') === made).toBe(true);
});
