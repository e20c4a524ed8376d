import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { start } from './children.mjs';
import { FIXTURE, makeHome, PROGRAM } from './throw-away-home.mjs';

const START_MS = 30_000;
const END_MS = 5_000;
const LOOK_MS = 50;
const MAX_STDERR = 4_000;

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  child.kill('SIGTERM');
  const limit = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await exited;
  clearTimeout(limit);
}

/** The fixture without a gateway, over HTTP. */
export async function startFixture(...words) {
  const child = start(process.execPath, [FIXTURE, '--http', ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const limit = AbortSignal.timeout(START_MS);
  const [url] = await Promise.race([
    once(lines, 'line', { signal: limit }),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the fixture ended with ${code}`))),
  ]);
  return { url, stop: () => end(child) };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** The gateway over HTTP with the fixture as its only upstream. */
async function startGateway(entry) {
  const home = makeHome({ fixture: entry });
  const address = `127.0.0.1:${await freePort()}`;
  const child = start(process.execPath, [PROGRAM, 'serve', '--http', address, '--expose', 'fixture'], {
    env: home.env,
    cwd: home.cwd,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr = `${stderr}${chunk}`.slice(-MAX_STDERR);
  });
  const stop = async () => {
    await end(child);
    home.remove();
  };
  const ends = performance.now() + START_MS;
  for (;;) {
    const isListening = await fetch(`http://${address}/health`, { signal: AbortSignal.timeout(START_MS) }).then(
      async (response) => !(await response.body?.cancel()) || true,
      () => false,
    );
    if (isListening) return { url: `http://${address}/mcp`, stop };
    if (child.exitCode !== null || performance.now() > ends) {
      await stop();
      throw new Error(`the gateway did not listen: ${stderr}`);
    }
    await pause(LOOK_MS);
  }
}

const OLDER_STYLE = '--older-style';

const overStdio = (...words) => startGateway({ command: process.execPath, args: [FIXTURE, ...words] });

async function overHttp(...words) {
  const fixture = await startFixture(...words);
  try {
    const gateway = await startGateway({ type: 'http', url: fixture.url });
    return { url: gateway.url, stop: () => Promise.all([gateway.stop(), fixture.stop()]) };
  } catch (error) {
    await fixture.stop();
    throw error;
  }
}

/** The targets of the server scenarios of the suite, by name. */
export const TARGETS = {
  direct: () => startFixture(),
  'over stdio': () => overStdio(),
  'over HTTP': () => overHttp(),
};

/** The same servers, whose tools send requests to the client even where the revision has none. */
export const OLDER_STYLE_TARGETS = {
  direct: () => startFixture(OLDER_STYLE),
  'over stdio': () => overStdio(OLDER_STYLE),
  'over HTTP': () => overHttp(OLDER_STYLE),
};
