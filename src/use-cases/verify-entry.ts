import { spawn } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { isObject } from '../base/index.js';
import { hostOf } from '../discovery/index.js';
import type { LaunchCommand } from '../sources/index.js';
import type { InstallOptions, InstallPlan } from './install-client.js';

/** The first start of a package runner may have to download the package. */
const ANSWER_LIMIT_MS = 60_000;
const EXIT_LIMIT_MS = 2_000;
const MAX_STDERR_CHARACTERS = 2_000;
const MAX_ANSWER_CHARACTERS = 1_000_000;

/** What happened when the entry was started as a client without a shell starts it. */
export type Verification =
  | { readonly kind: 'works'; readonly version: string; readonly ms: number }
  | { readonly kind: 'fails'; readonly because: string; readonly hint: string }
  | { readonly kind: 'not-checked'; readonly because: string };

const FAILED_HINT = 'to see the whole error, start `portolan serve` in a terminal; then install again';

/** The variables without which a program finds neither its user nor, on Windows, its system. PATH is not among them. */
const KEPT = ['HOME', 'USERPROFILE', 'SystemRoot', 'APPDATA', 'LOCALAPPDATA', 'TEMP'];

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'portolan-install', version: '1' } },
};

/** Starts the entry of a plan once, before or after it is written. */
export async function verifyInstall(
  { program }: Pick<InstallPlan, 'program'>,
  options: InstallOptions,
): Promise<Verification> {
  const host = hostOf(options);
  // Starting it would download a package that nobody has asked to run yet.
  if (!isAbsolute(program.command))
    return { kind: 'not-checked', because: 'npx is searched on the PATH of the client and may download the package' };
  if (host.self === undefined) return { kind: 'not-checked', because: 'the path of this program is not known' };
  return verifyEntry(program, host);
}

/** Starts the program once with an empty environment and initializes it. No server is started. */
async function verifyEntry(
  { command, args }: LaunchCommand,
  { home, env = process.env }: { readonly home: string; readonly env?: Readonly<Record<string, string | undefined>> },
): Promise<Verification> {
  const began = performance.now();
  const kept = KEPT.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  const child = spawn(command, args, {
    cwd: home,
    // A daemon that is started here would keep this environment for later clients.
    env: { ...Object.fromEntries(kept), HOME: home, PORTOLAN_DAEMON: 'never' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [answer, stderrText] = ['', ''];
  child.stderr.on('data', (chunk: Buffer) => {
    stderrText = `${stderrText}${chunk}`.slice(-MAX_STDERR_CHARACTERS);
  });
  child.stdin.on('error', () => undefined); // the exit is reported instead
  const exit = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`it cannot be started: ${error.message}`));
    child.once('close', (code, signal) => resolve(`it exited with ${signal ?? `code ${code}`}${tail(stderrText)}`));
  });
  const answered = new Promise<Verification>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      answer = `${answer}${chunk}`.slice(0, MAX_ANSWER_CHARACTERS);
      const version = versionIn(answer);
      if (version !== undefined) resolve({ kind: 'works', version, ms: Math.round(performance.now() - began) });
    });
  });
  const timeout = AbortSignal.timeout(ANSWER_LIMIT_MS);
  const timedOut = new Promise<string>((resolve) => {
    timeout.addEventListener('abort', () =>
      resolve(`it did not answer within ${ANSWER_LIMIT_MS / 1000} s${tail(stderrText)}`),
    );
  });
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  const result = await Promise.race([
    answered,
    Promise.race([exit, timedOut]).then((because): Verification => ({ kind: 'fails', because, hint: FAILED_HINT })),
  ]);
  child.stdin.end();
  const kill = setTimeout(() => {
    child.kill('SIGKILL');
    // A process that it started may hold the pipes open.
    child.stdout.destroy();
    child.stderr.destroy();
  }, EXIT_LIMIT_MS);
  await exit;
  clearTimeout(kill);
  return result;
}

/** The version in the response to `initialize`; undefined until it has arrived. */
function versionIn(text: string): string | undefined {
  for (const line of text.split('\n').slice(0, -1)) {
    const message = parsed(line);
    const result = isObject(message) && message.id === 1 ? message.result : undefined;
    const server = isObject(result) ? result.serverInfo : undefined;
    if (isObject(server)) return String(server.version);
  }
  return undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function tail(stderrText: string): string {
  const last = stderrText.trim().split('\n').at(-1) ?? '';
  return last === '' ? '' : `: ${last}`;
}
