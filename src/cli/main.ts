#!/usr/bin/env node
import { homedir } from 'node:os';
import type { Writable } from 'node:stream';
import { discoverAll, inspectOwnSettings, serveClient, serveClientsOverHttp, startGateway } from '../app/index.js';
import { jsonLog, type LogLevel } from '../base/index.js';
import { run } from './run.js';
import type { Serve } from './serve.js';

declare const PORTOLAN_VERSION: string;

// A reader that has seen enough (`portolan list | head`) is no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

// Who does not want our log does not get it.
process.stderr.on('error', () => undefined);

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

function status(text: string | undefined): void {
  process.stderr.write(`\r\u001b[K${text ?? ''}`);
}

const FORGOTTEN_MS = 2_000;

const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** What a server that is served has of this process. The first signal ends it in order, the second at once. */
function serving() {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (ending.signal.aborted) process.exit(1);
      ending.abort();
    });
  }
  const level = LOG_LEVELS.find((known) => known === process.env.PORTOLAN_LOG) ?? 'warn';
  const log = jsonLog((line) => process.stderr.write(line), level);
  return { ...machine, version: PORTOLAN_VERSION, ending: ending.signal, log };
}

const serve: Serve = {
  stdio: (options) => serveClient({ ...serving(), ...options, input: process.stdin, output: asyncStdout() }),
  http: (options) => serveClientsOverHttp({ ...serving(), ...options }),
  environment: process.env,
};

/** On Linux and macOS `process.stdout` blocks the whole process while a slow reader empties a pipe. */
function asyncStdout(): Writable {
  const { Socket } = process.getBuiltinModule('node:net');
  try {
    return new Socket({ fd: 1, readable: false, writable: true });
  } catch {
    return process.stdout; // a file, which no reader can hold up
  }
}

const self = process.argv[1];
const machine = { ...(self !== undefined && { self }) };
process.exitCode = await run(
  process.argv.slice(2),
  {
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    colour: process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
    home: homedir(),
    ...(process.stdin.isTTY === true && process.stdout.isTTY === true && { ask }),
    ...(process.stderr.isTTY === true && { status }),
  },
  {
    discover: (options) => discoverAll({ ...machine, ...options }),
    serve,
    open: (options) => startGateway({ ...machine, ...options, version: PORTOLAN_VERSION }),
    inspectSettings: inspectOwnSettings,
    machine,
    version: PORTOLAN_VERSION,
    interactive: process.stdin.isTTY === true,
  },
);

// A net: whatever was forgotten and would keep the process from ending has a moment, no more. Nothing waits for this itself.
setTimeout(() => process.exit(), FORGOTTEN_MS).unref();
