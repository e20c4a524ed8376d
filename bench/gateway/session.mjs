import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpClient } from './http-client.mjs';
import { StdioClient } from './stdio-client.mjs';

const ANSWER_LIMIT_MS = 60_000;
const KNOWN_LIMIT_MS = 60_000;
const ASK_AGAIN_MS = 20;
const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'portolan-bench', version: '1.0.0' },
};
// The variables that a program needs to start; no other variable of the user may reach a measured gateway.
const KEPT = ['PATH', 'SystemRoot', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP'];

/** The directory of this run; the caller of the run removes it. */
export const runFolder = mkdtempSync(join(tmpdir(), 'portolan-bench-gateway-'));

/** A home that no other process has, to identify the processes of a gateway. */
export function newPlace(variables = {}) {
  const home = mkdtempSync(join(runFolder, 'home-'));
  const cwd = join(home, 'work');
  mkdirSync(cwd);
  const env = Object.fromEntries(KEPT.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  // Only the gateway itself is measured here; the daemon has its own rows.
  return { cwd, env: { ...env, PORTOLAN_DAEMON: 'never', ...variables, HOME: home, USERPROFILE: home } };
}

const leanClient = (launch, place) => (launch.port ? new HttpClient(launch, place) : new StdioClient(launch, place));

/** Starts a contender and requests its list; returns the connection and the time from the start to the list. */
export async function connect(contender, servers, { place = newPlace(), client: makeClient = leanClient } = {}) {
  const launch = await contender.launch(servers, place.env.HOME);
  const begin = performance.now();
  const client = makeClient(launch, place);
  try {
    await client.request('initialize', HELLO, ANSWER_LIMIT_MS);
    await client.notify('notifications/initialized');
    await client.request('tools/list', {}, ANSWER_LIMIT_MS);
    return { contender, client, place, begin, firstListMs: performance.now() - begin };
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Calls a tool of a server once; fails if the response is not that of the tool. */
export async function call({ contender, client }, { server, tool, args, isAnswer }) {
  const result = await client.request('tools/call', contender.call(server, tool, args), ANSWER_LIMIT_MS);
  if (result.isError || !isAnswer(textOf(result))) {
    throw new Error(`unexpected answer ${JSON.stringify(result).slice(0, 300)}`);
  }
}

/** Calls a tool of the gateway itself once; returns the text of its result. */
export async function ask({ client }, params) {
  const result = await client.request('tools/call', params, ANSWER_LIMIT_MS);
  if (result.isError) throw new Error(textOf(result).slice(0, 300));
  return textOf(result);
}

/** Polls until a gateway that connects to its servers after its first response knows the tools of all servers. */
export async function waitUntilKnown(session, servers) {
  const { known } = session.contender;
  if (!known) return;
  const deadline = performance.now() + KNOWN_LIMIT_MS;
  for (;;) {
    const count = known.count(await ask(session, known.ask));
    if (count >= servers) return;
    if (performance.now() > deadline)
      throw new Error(`knows ${count} of ${servers} servers after ${KNOWN_LIMIT_MS} ms`);
    await pause(ASK_AGAIN_MS);
  }
}

function textOf(result) {
  return result.content?.[0]?.text ?? '';
}
