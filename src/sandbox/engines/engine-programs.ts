import { join } from 'node:path';
import { homeFolder } from '../../base/index.js';
import { findTrustedProgram, HIDDEN_PROGRAMS } from './find-program.js';

/** Only a Python of the system, because one in a home directory would make that directory visible to the guest. */
const PYTHONS = ['/usr/bin/python3', '/usr/local/bin/python3'];
const BWRAPS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

export function findBwrap(): string | undefined {
  return existing(BWRAPS);
}

export function findSystemPython(): string | undefined {
  return existing(PYTHONS);
}

export function findDeno(): string | undefined {
  return findTrustedProgram('deno', [join(homeFolder(), '.deno', 'bin')]);
}

function existing(paths: readonly string[]): string | undefined {
  const { existsSync } = process.getBuiltinModule('node:fs');
  return paths.find((path) => !HIDDEN_PROGRAMS.includes(path) && existsSync(path));
}
