// Writes ../guest-source.ts from the Python and JavaScript beside it: `node src/sandbox/guest/embed.mjs`.
// With --print it only prints the result, which a test compares with the file.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** The Python files, concatenated in the order of their names. */
function guestSource() {
  const parts = readdirSync(here).filter((name) => name.endsWith('.py'));
  return parts
    .sort()
    .map((name) => readFileSync(join(here, name), 'utf8'))
    .join('\n');
}

/** The program that starts Pyodide in Node or Deno. */
function runnerSource() {
  return readFileSync(join(here, 'pyodide-runner.js'), 'utf8');
}

/** Each source as one string literal; the file is generated and not meant to be read. */
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

/** Quotes like the formatter: the quotes that need fewer escapes, single ones if equal. */
function quoted(text) {
  const json = JSON.stringify(text);
  if (text.split("'").length > text.split('"').length) return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

if (process.argv.includes('--print')) process.stdout.write(embedded());
else writeFileSync(join(here, '../guest-source.ts'), embedded());
