// Takes over fourteen servers in the files of seven clients. Claude Code, OpenCode, Gemini CLI and Codex are installed
// from npm into a temporary directory, and their own `mcp list` shows that one server is left. Then undoes everything.
// It needs a network and several minutes. tests/cli/take-over-machine.test.ts does less of it in every run of the tests.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { createJiti } from 'jiti';

const PACKAGES = ['@anthropic-ai/claude-code', 'opencode-ai', '@google/gemini-cli', '@openai/codex'];
const COMMAND_LIMIT_MS = 240_000;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const program = join(root, 'dist/cli.cjs');
const { CLIENT_FILES, fourteenServers } = await createJiti(import.meta.url).import(
  join(root, 'tests/support/fourteen-servers.ts'),
);

const folder = mkdtempSync(join(tmpdir(), 'portolan-clients-'));
const [home, project, programs] = ['home', 'project', 'programs'].map((name) => join(folder, name));
for (const path of [home, project, programs]) mkdirSync(path);
const env = {
  PATH: [join(programs, 'node_modules/.bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
  HOME: home,
  USERPROFILE: home,
  CI: '1',
  NO_COLOR: '1',
  // They would change files in the background.
  DISABLE_AUTOUPDATER: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  // Gemini CLI starts no server in a directory that is not trusted.
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
};
const failures = [];

function check(isGood, what) {
  console.log(`${isGood ? 'ok  ' : 'FAIL'} ${what}`);
  if (!isGood) failures.push(what);
}

/** Runs a command without blocking, because some commands talk to a server in this process. */
function run(command, args, { quiet = false, more = {}, onError = () => undefined } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: project, env: { ...env, ...more }, timeout: COMMAND_LIMIT_MS });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
      onError(stderr);
    });
    child.stdin.end();
    child.on('error', (error) => resolve({ status: -1, out: '', err: error.message }));
    child.on('close', (status) => {
      if (status !== 0 && !quiet) console.log(`${command} ${args.join(' ')} ended with ${status}:\n${stderr}`);
      resolve({ status, out: stripVTControlCharacters(stdout), err: stripVTControlCharacters(stderr) });
    });
  });
}

async function portolan(...args) {
  const { status, out } = await run(process.execPath, [program, ...args]);
  return { status, ...JSON.parse(out) };
}

const path = (client) => join(home, CLIENT_FILES[client].file.slice(2));
const read = (client) => readFileSync(path(client), 'utf8');
const clients = Object.keys(CLIENT_FILES);

/** What each client itself reports: the name of every server that it would start, and whether it is connected. */
const REPORTS = {
  async 'claude-code'() {
    const { out } = await run('claude', ['mcp', 'list']);
    return [...out.matchAll(/^(\S+): .* - (.*)$/gm)].map(([, name, said]) => ({ name, isUp: /Connected/.test(said) }));
  },
  async opencode() {
    const { out } = await run('opencode', ['mcp', 'list']);
    const all = [...out.matchAll(/^\W*\s(\S+) (connected|disabled|failed)\b/gm)];
    return all
      .filter(([, , said]) => said !== 'disabled')
      .map(([, name, said]) => ({ name, isUp: said === 'connected' }));
  },
  async 'gemini-cli'() {
    const { out, err } = await run('gemini', ['mcp', 'list']);
    const all = [...`${out}\n${err}`.matchAll(/^\W*(\S+): .* - (\w+)/gm)];
    return all
      .filter(([, , said]) => !/^(?:Disabled|Blocked)/i.test(said))
      .map(([, name, said]) => ({ name, isUp: said === 'Connected' }));
  },
  async codex() {
    const { out } = await run('codex', ['mcp', 'list', '--json']);
    const enabled = JSON.parse(out).filter(({ enabled: isOn }) => isOn);
    return enabled.map(({ name }) => ({ name }));
  },
};

async function freePort() {
  const socket = createSocket().listen(0, '127.0.0.1');
  await new Promise((resolve) => socket.once('listening', resolve));
  const { port } = socket.address();
  await new Promise((resolve) => socket.close(resolve));
  return port;
}

/** A remote MCP server. */
async function startRemote() {
  const port = await freePort();
  const file = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  const child = spawn(process.execPath, [file, 'streamableHttp'], {
    env: { ...env, PORT: String(port) },
    stdio: 'ignore',
  });
  return { url: `http://127.0.0.1:${port}/mcp`, stop: () => child.kill() };
}

/**
 * The servers with which Codex completes the handshake when it begins a task, from its own log, because its `mcp list`
 * does not connect. Its model is a server that answers nothing until then.
 */
async function handshakesOfCodex() {
  const HANDSHAKE = /Service initialized as client.*?server_info: Some\(Implementation \{ name: "([^"]*)"/g;
  const responses = [];
  const refuse = (response) => response.writeHead(400).end('{"error":{"message":"no model here"}}');
  const model = createServer((_, response) => responses.push(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => model.once('listening', resolve));
  const provider = `model_providers.none={name="none",base_url="http://127.0.0.1:${model.address().port}/v1",wire_api="responses",request_max_retries=0,stream_max_retries=0}`;
  const args = ['exec', '--skip-git-repo-check', '-c', provider, '-c', 'model_provider="none"', 'hello'];
  let isConnected = false;
  const poll = setInterval(() => {
    if (isConnected) for (const response of responses.splice(0)) refuse(response);
  }, 100);
  const { err } = await run('codex', args, {
    quiet: true,
    more: { RUST_LOG: 'rmcp=info' },
    onError: (text) => {
      isConnected ||= text.includes('Service initialized as client');
    },
  });
  clearInterval(poll);
  model.closeAllConnections();
  model.close();
  return [...err.matchAll(HANDSHAKE)].map(([, name]) => name);
}

async function listServers() {
  const { servers } = await portolan('list', '--json');
  return {
    names: servers.map(({ name }) => name).toSorted(),
    startedBy: [...new Set(servers.flatMap(({ startedBy = [] }) => startedBy))].toSorted(),
  };
}

async function takeAllOver() {
  const { status, clients: done, failed } = await portolan('install', '--yes', '--json');
  check(status === 0 && failed.length === 0, `install --yes ends with ${status}, ${failed.length} failed`);
  for (const client of clients) {
    const { verification, takenOver = [] } = done.find((one) => one.client === client) ?? {};
    const count = takenOver.flatMap(({ servers }) => servers).length;
    check(
      count === (client === 'claude-desktop' ? 13 : 14) && verification.kind === 'works',
      `${client}: ${count} servers taken over; the entry for Portolan ${verification?.kind}`,
    );
  }
}

/** Undoes everything. `changed` has the texts that clients themselves wrote after the take-over. */
async function undoAll(texts, changed = new Map()) {
  for (const client of clients) {
    const isChanged = changed.has(client) && changed.get(client) !== read(client);
    const { undone = [] } = await portolan('install', client, '--undo', '--json');
    const isExact = read(client) === texts.get(client);
    if (!isChanged) check(isExact && undone[0]?.exact, `${client}: --undo restores every byte`);
    else {
      const [is, was] = [JSON.parse(read(client)), JSON.parse(texts.get(client))];
      const same = JSON.stringify(is.mcpServers) === JSON.stringify(was.mcpServers);
      check(
        same,
        `${client} wrote to its file meanwhile: --undo restores its ${Object.keys(is.mcpServers).length} entries`,
      );
    }
    const left = ['original', 'record'].filter((own) => existsSync(`${path(client)}.portolan-${own}`));
    check(left.length === 0, `${client}: no copy is left`);
  }
}

const remote = await startRemote();
try {
  console.log(`Installing ${PACKAGES.join(', ')} from npm …`);
  const shell = process.platform === 'win32';
  const npm = ['install', '--prefix', programs, '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES];
  const { status } = spawnSync('npm', npm, { stdio: 'inherit', shell });
  if (status !== 0) throw new Error(`npm ended with ${status}`);
  for (const name of PACKAGES) {
    const { version } = JSON.parse(readFileSync(join(programs, 'node_modules', name, 'package.json'), 'utf8'));
    console.log(`     ${name} ${version}`);
  }

  const entries = fourteenServers(project, remote.url);
  for (const client of clients) {
    mkdirSync(dirname(path(client)), { recursive: true });
    writeFileSync(path(client), CLIENT_FILES[client].text(entries));
  }
  console.log('\nBefore');
  for (const [client, report] of Object.entries(REPORTS)) {
    const servers = await report();
    check(servers.length === 14, `${client}: mcp list has ${servers.length} enabled servers`);
  }
  // Some clients add settings of their own when they run for the first time.
  const texts = new Map(clients.map((client) => [client, read(client)]));
  const before = await listServers();
  check(before.startedBy.length === clients.length, `portolan list: started by ${before.startedBy.join(', ')}`);

  console.log('\nTake-over and undo');
  await takeAllOver();
  await undoAll(texts);

  console.log('\nTake-over, and what each client reports');
  await takeAllOver();
  const left = new Map(clients.map((client) => [client, read(client)]));
  const after = await listServers();
  check(after.names.join() === before.names.join(), `portolan list: ${after.names.length} servers as before`);
  check(after.startedBy.length === 0, 'portolan list: no server is started by a client itself');
  for (const [client, report] of Object.entries(REPORTS)) {
    const servers = await report();
    const isAlone = servers.length === 1 && servers[0].name === 'portolan';
    const isUp = client === 'codex' ? undefined : servers[0]?.isUp;
    check(
      isAlone && isUp !== false,
      `${client}: mcp list has ${servers.map(({ name }) => name).join(', ')}${isUp ? ', connected' : ''}`,
    );
  }
  const shaken = await handshakesOfCodex();
  check(shaken.join() === 'portolan', `codex: a task makes the MCP handshake with ${shaken.join(', ')}`);

  console.log('\nUndo');
  await undoAll(texts, left);
} finally {
  remote.stop();
  await run(process.execPath, [program, 'daemon', 'stop', '--force'], { quiet: true });
  await sleep(1_000); // clients may still write
  if (process.env.KEEP === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  else console.log(folder);
}
console.log(failures.length === 0 ? '\nAll checks passed.' : `\n${failures.length} checks failed.`);
process.exitCode = failures.length === 0 ? 0 : 1;
