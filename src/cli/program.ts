import { openForCommand, runDaemon, serveClient, serveClientsOverHttp } from '../app/index.js';
import { homeFolder } from '../base/index.js';
import { scanMachine } from '../discovery/index.js';
import { inspectOwnSettings } from '../use-cases/index.js';
import type { Serve } from './commands/serve.js';
import { run } from './run-command.js';
import {
  asyncStdout,
  catchSignals,
  keepStartupHeapSmall,
  signalOnShutdown,
  stderrLog,
} from './runtime/process-setup.js';

declare const PORTOLAN_VERSION: string;

// The reader can close the pipe early, as in `portolan list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

// A closed stderr must not end the process.
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

async function askSecret(question: string): Promise<string> {
  const { askHidden } = await import('./runtime/hidden-prompt.js');
  return askHidden(question, process.stdin, process.stderr);
}

function status(text: string | undefined): void {
  process.stderr.write(`\r\u001b[K${text ?? ''}`);
}

const FORGOTTEN_MS = 2_000;

/** The options of every way to serve that depend on this process. */
function serving() {
  keepStartupHeapSmall();
  return { ...machine, version: PORTOLAN_VERSION, ending: signalOnShutdown(), log: stderrLog() };
}

const serve: Serve = {
  stdio: (options) => serveClient({ ...serving(), ...options, input: process.stdin, output: asyncStdout() }),
  http: (options) => serveClientsOverHttp({ ...serving(), ...options }),
  socket: (options) => runDaemon({ ...serving(), ...options }),
  environment: process.env,
};

const self = process.argv[1];
const machine = { ...(self !== undefined && { self }) };
process.exitCode = await run(
  process.argv.slice(2),
  {
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    colour: process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
    ...(process.stdout.isTTY === true && { isTerminal: true }),
    ...(process.stdout.columns > 0 && { columns: process.stdout.columns }),
    home: homeFolder(),
    ending: catchSignals,
    ...(process.stdin.isTTY === true &&
      process.stdout.isTTY === true && { ask, terminal: { input: process.stdin, output: process.stdout } }),
    ...(process.stdin.isTTY === true && process.stderr.isTTY === true && { askSecret }),
    ...(process.stderr.isTTY === true && { status }),
  },
  {
    discover: (options) => scanMachine({ ...machine, ...options }),
    serve,
    open: (options) => openForCommand({ ...machine, ...options, version: PORTOLAN_VERSION }),
    inspectSettings: inspectOwnSettings,
    machine,
    version: PORTOLAN_VERSION,
    interactive: process.stdin.isTTY === true,
  },
);

// Exit even if a forgotten handle keeps the event loop alive, but only after stdout was flushed to a slow reader.
setTimeout(() => process.stdout.write('', () => process.exit()), FORGOTTEN_MS).unref();
