import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { installed, startsIn } from './client-over-stdio.js';
import type { Machine } from './machine.js';

/** A package runner that downloads until `finish` is called, and then becomes a server from npm. */
export interface SlowRunner {
  readonly entry: { readonly command: string; readonly args: readonly string[] };
  /** The process ids of all starts. */
  readonly pids: () => readonly number[];
  readonly finish: () => void;
  /** The next start is slow again. */
  readonly reset: () => void;
}

export function slowRunner(machine: Machine): SlowRunner {
  const { command, args } = installed('@modelcontextprotocol/server-memory');
  const runner = machine.path('~/npx');
  const starts = machine.path('~/starts');
  const finished = machine.path('~/finished');
  const lines = [
    '#!/bin/sh',
    `echo $$ >> '${starts}'`,
    `until [ -e '${finished}' ]; do sleep 0.05; done`,
    `exec '${command}' '${args.join("' '")}'`,
  ];
  writeFileSync(runner, lines.join('\n'));
  chmodSync(runner, 0o755);
  const env = { MEMORY_FILE_PATH: machine.path('~/memory.json') };
  return {
    entry: { command: runner, args: ['-y', 'server'], ...{ env } },
    pids: () => startsIn(starts),
    finish: () => writeFileSync(finished, ''),
    reset: () => rmSync(finished),
  };
}
