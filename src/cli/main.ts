#!/usr/bin/env node
import { homedir } from 'node:os';
import { discoverAll, inspectOwnSettings } from '../app/index.js';
import { run } from './run.js';

declare const PORTOLAN_VERSION: string;

// A reader that has seen enough (`portolan list | head`) is no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

const self = process.argv[1];
process.exitCode = await run(
  process.argv.slice(2),
  {
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    colour: process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
    home: homedir(),
    ...(process.stdin.isTTY === true && process.stdout.isTTY === true && { ask }),
  },
  {
    discover: (options) => discoverAll({ ...(self !== undefined && { self }), ...options }),
    inspectSettings: inspectOwnSettings,
    machine: { ...(self !== undefined && { self }) },
    version: PORTOLAN_VERSION,
    interactive: process.stdin.isTTY === true,
  },
);
