import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Program {
  readonly group: string;
  readonly title: string;
  readonly code: string;
  readonly stdout: string;
  /** The last expression as text. */
  readonly value?: string;
  /** The final error as `Type line N: message`. */
  readonly error?: string;
  /** Uses no server, so that any Python can run it. */
  readonly isPlain: boolean;
}

const folder = join(dirname(fileURLToPath(import.meta.url)), 'programs');

/** The programs: `#%` begins one, `#>` is a line of its output, `#=` its value, `#!` its error. */
export const PROGRAMS: readonly Program[] = readdirSync(folder)
  .filter((name) => name.endsWith('.py'))
  .sort()
  .flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split(/^#% /m)
      .slice(1)
      .map((part) => read(name, part)),
  );

function read(group: string, part: string): Program {
  const [title = '', ...lines] = part.trimEnd().split('\n');
  const marked = (mark: string) =>
    lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length + 1));
  const code = lines.filter((line) => !/^#[>=!]/.test(line)).join('\n');
  const [value] = marked('#=');
  const [error] = marked('#!');
  return {
    group,
    title,
    code,
    stdout: marked('#>')
      .map((line) => `${line}\n`)
      .join(''),
    ...(value !== undefined && { value }),
    ...(error !== undefined && { error }),
    isPlain: !/mcp|await|AVAILABLE|^#!|sys\.exit/m.test(part) && value === undefined,
  };
}
