// What sharing one daemon costs and saves: processes and memory of 5 clients with 10 servers each, a call through pipe and
// daemon against the server itself, the first list of a second client against bare Node, 1,000 clients, and a lost daemon.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const [CLIENTS, SERVERS, CALLS, MANY, ROUNDS] = [5, 10, 2_000, 1_000, 15];
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const PORTOLAN = join(root, 'dist', 'cli.cjs');
const EVERYTHING = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const folder = mkdtempSync(join(tmpdir(), 'portolan-bench-'));
const [home, run] = ['home', 'run'].map((name) => join(folder, name));
for (const path of [home, run, join(home, '.cursor'), join(home, '.config/portolan')])
  mkdirSync(path, { recursive: true });
chmodSync(run, 0o700);
const socket = join(run, 's.sock');
const env = { PATH: process.env.PATH, HOME: home, MCP_BRIDGE_SOCKET: socket };
const servers = Object.fromEntries(
  Array.from({ length: SERVERS }, (_, n) => [
    `s${n}`,
    { command: process.execPath, args: [EVERYTHING, 'stdio', `--n=${n}`] },
  ]),
);
writeFileSync(join(home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: servers }));
const IDLE_MS = 3_000;
writeFileSync(join(home, '.config/portolan/portolan.config.json'), JSON.stringify({ timeouts: { idleMs: IDLE_MS } }));

const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Speaks lines to whoever reads and writes them. */
class Client {
  waiting = new Map();
  next = 0;
  constructor(input, output) {
    this.output = output.on('error', () => undefined);
    createInterface({ input }).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.method === 'ping') this.say({ id: message.id, result: {} });
      if (message.method === undefined) this.waiting.get(message.id)?.(message);
    });
  }
  say(message) {
    this.output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
  request(method, params = {}) {
    const id = this.next++;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.say({ id, method, params });
    });
  }
  async hello() {
    const clientInfo = { name: 'bench', version: '1' };
    await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.say({ method: 'notifications/initialized' });
    return this;
  }
  execute(server, message) {
    return this.request('tools/call', {
      name: 'execute_tool',
      arguments: { server, tool: 'echo', arguments: { message } },
    });
  }
}

const children = new Set();
function started(args, more = {}) {
  const child = spawn(process.execPath, args, {
    cwd: home,
    env: { ...env, ...more },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return Object.assign(new Client(child.stdout, child.stdin), { child });
}
const piped = () => started([PORTOLAN, 'serve'], { PORTOLAN_DAEMON: 'auto' });
const leave = async (client) => {
  client.child.stdin.end();
  await new Promise((resolve) => (client.child.exitCode === null ? client.child.once('exit', resolve) : resolve()));
};

/** Every process that was started from here, whoever its parent is: they all have this home. */
function ours() {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${home}`);
    } catch {
      return false;
    }
  });
}
function figures() {
  const pids = ours();
  const words = (pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  const pss = (pid) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  return {
    servers: pids.filter((pid) => words(pid).includes('server-everything')).length,
    megabytes: Math.round(pids.reduce((sum, pid) => sum + pss(pid), 0) / 1024),
  };
}
const status = () =>
  JSON.parse(spawnSync(process.execPath, [PORTOLAN, 'daemon', 'status', '--json'], { env, encoding: 'utf8' }).stdout);
async function callTimes(call) {
  const times = [];
  for (let n = 0; n < CALLS; n += 1) {
    const began = performance.now();
    await call(String(n));
    if (n >= CALLS / 10) times.push(performance.now() - began);
  }
  return times;
}

const rows = [];
const row = (what, text) => {
  rows.push([what, text]);
  console.log(`${what.padEnd(52)} ${text}`);
};
try {
  const names = Object.keys(servers);
  // Without: every client starts every server.
  const alone = [];
  for (let n = 0; n < CLIENTS; n += 1)
    for (const { args } of Object.values(servers)) alone.push(await started(args).hello());
  const without = figures();
  const direct = await callTimes((message) => alone[0].request('tools/call', { name: 'echo', arguments: { message } }));
  for (const client of alone) await leave(client);

  const clients = [];
  for (let n = 0; n < CLIENTS; n += 1) clients.push(await piped().hello());
  await Promise.all(clients.flatMap((client) => names.map((name) => client.execute(name, 'x'))));
  const shared = figures();
  row(
    `${CLIENTS} clients x ${SERVERS} servers: server processes`,
    `${without.servers} -> ${shared.servers} (${(without.servers / shared.servers).toFixed(1)} x fewer, at least 5)`,
  );
  row(
    'the same: memory (PSS), Portolan included',
    `${without.megabytes} MB -> ${shared.megabytes} MB (${(without.megabytes / shared.megabytes).toFixed(1)} x less, at least 2.5)`,
  );
  const through = await callTimes((message) => clients[0].execute('s0', message));
  const [a, b] = [percentile(direct, 0.5), percentile(through, 0.5)];
  row(
    'a call, p50: direct, through pipe and daemon',
    `${a.toFixed(3)} ms, ${b.toFixed(3)} ms (${(b / a).toFixed(2)} x, at most 2.2)`,
  );

  const [first, bare] = [[], []];
  for (let n = 0; n < ROUNDS; n += 1) {
    let began = performance.now();
    spawnSync(process.execPath, ['-e', '0'], { env });
    bare.push(performance.now() - began);
    began = performance.now();
    const client = await piped().hello();
    await client.request('tools/list');
    first.push(performance.now() - began);
    await leave(client);
  }
  const [c, d] = [percentile(bare, 0.5), percentile(first, 0.5)];
  row(
    'the first list of another client, against bare node',
    `${c.toFixed(0)} ms, ${d.toFixed(0)} ms (${(d / c).toFixed(2)} x, at most 1.5)`,
  );

  process.kill(status().pid, 'SIGKILL');
  const lostAt = performance.now();
  // One that was written before the loss was noticed may fail; the next is answered.
  while ((await clients[0].execute('s0', 'back')).error) await later(1);
  row(
    'the daemon is killed: the next call is answered after',
    `${(performance.now() - lostAt).toFixed(0)} ms (under 1000)`,
  );
  for (const client of clients) await leave(client);
  await later(IDLE_MS * 2);
  row('server processes after that long without a call', `${figures().servers} (0)`);

  const { pid } = status();
  const rss = () => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4;
  const before = rss();
  const many = [];
  for (let n = 0; n < MANY; n += 1) {
    const end = connect(socket);
    many.push(Object.assign(await new Client(end, end).hello(), { end }));
  }
  const after = rss();
  const times = [];
  for (let round = 0; round < 5; round += 1)
    for (const client of many) {
      const began = performance.now();
      await client.execute('s0', 'x');
      times.push(performance.now() - began);
    }
  row(
    `${MANY} clients: p99 of a call, memory for each`,
    `${percentile(times, 0.99).toFixed(2)} ms, ${((after - before) / MANY).toFixed(1)} kB`,
  );
  for (const { end } of many) end.destroy();
} finally {
  spawnSync(process.execPath, [PORTOLAN, 'daemon', 'stop'], { env });
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
