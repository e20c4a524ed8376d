// Writes ../guest-source.ts from the Python and JavaScript beside it: `node src/sandbox/guest/embed.mjs`.
// With --print they are only shown, for the test that compares them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** The parts of the guest in the order of their names, one after the other. */
function guestSource() {
  const parts = readdirSync(here).filter((name) => name.endsWith('.py'));
  return parts
    .sort()
    .map((name) => readFileSync(join(here, name), 'utf8'))
    .join('\n');
}

/** What starts Pyodide in Node or in Deno. */
function runnerSource() {
  return readFileSync(join(here, 'pyodide-runner.js'), 'utf8');
}

/** As string literals in one line each: no part of it is for reading. */
function embedded() {
  return [
    '// Made by guest/embed.mjs from the files in guest/. Edit those.',
    '',
    '/** The Python program that runs in every engine. */',
    `export const GUEST_SOURCE =\n  ${quoted(guestSource())};`,
    '',
    '/** The JavaScript that starts it in Pyodide. */',
    `export const RUNNER_SOURCE =\n  ${quoted(runnerSource())};`,
    '',
  ].join('\n');
}

/** In the quotes that take fewer escapes, single ones if it is the same: as the formatter writes it. */
function quoted(text) {
  const json = JSON.stringify(text);
  if (text.split("'").length > text.split('"').length) return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

if (process.argv.includes('--print')) process.stdout.write(embedded());
else writeFileSync(join(here, '../guest-source.ts'), embedded());
