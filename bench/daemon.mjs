// Measures what sharing one daemon costs and saves: processes and memory of 5 clients with 10 servers each, a call
// through pipe and daemon compared with a direct call, the first list of another client compared with bare Node, a lost
// daemon, and 1,000 clients.
//   --quick  fewer rounds      --json  figures for programs      --check  exit 1 if a target is missed
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LineClient } from './daemon/line-client.mjs';
import { callsThroughDaemon } from './daemon/measure-calls.mjs';
import { median, Notes, quantile } from './gateway/figures.mjs';
import { endAll } from './gateway/processes.mjs';

const { values: options } = parseArgs({
  options: Object.fromEntries(['quick', 'json', 'check'].map((name) => [name, { type: 'boolean', default: false }])),
});
const FULL = {
  ...{ clients: 5, servers: 10, many: 1_000, starts: 21, kills: 5 },
  calls: { epochs: 2, batches: 8, inSequence: 250, atOnce: 1_000 },
};
const QUICK = {
  ...{ clients: 2, servers: 3, many: 200, starts: 7, kills: 2 },
  calls: { epochs: 1, batches: 3, inSequence: 100, atOnce: 400 },
};
const SIZE = options.quick ? QUICK : FULL;
const IDLE_MS = 3_000;

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
  Array.from({ length: SIZE.servers }, (_, n) => [
    `s${n}`,
    { command: process.execPath, args: [EVERYTHING, 'stdio', `--n=${n}`] },
  ]),
);
writeFileSync(join(home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: servers }));
writeFileSync(join(home, '.config/portolan/portolan.config.json'), JSON.stringify({ timeouts: { idleMs: IDLE_MS } }));

const children = new Set();
function spawned(args) {
  const child = spawn(process.execPath, args, { cwd: home, env, stdio: ['pipe', 'pipe', 'ignore'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}
const left = (child) => new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve()));
function started(args) {
  const child = spawned(args);
  return Object.assign(new LineClient(child.stdout, child.stdin), { child });
}
const piped = () => started([PORTOLAN]);
const leave = (client) => {
  client.child.stdin.end();
  return left(client.child);
};
const status = () =>
  JSON.parse(spawnSync(process.execPath, [PORTOLAN, 'daemon', 'status', '--json'], { env, encoding: 'utf8' }).stdout);

/** Every process that this benchmark started, whatever its parent is: all have this home directory. */
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

const rows = [];
function row(label, text, isMet, target) {
  rows.push({ label, text, target, isMet });
  const mark = isMet === undefined ? ' ' : isMet ? '✓' : '✗';
  if (!options.json) console.log(`${label.padEnd(54)}${text.padEnd(36)} ${mark} ${target}`.trimEnd());
}

async function measureSharing() {
  const alone = [];
  for (let n = 0; n < SIZE.clients; n += 1)
    for (const { args } of Object.values(servers)) alone.push(await started(args).hello());
  const without = figures();
  for (const client of alone) await leave(client);
  const clients = [];
  for (let n = 0; n < SIZE.clients; n += 1) clients.push(await piped().hello());
  await Promise.all(clients.flatMap((client) => Object.keys(servers).map((name) => client.execute(name, 'x'))));
  const shared = figures();
  const fewer = without.servers / shared.servers;
  const less = without.megabytes / shared.megabytes;
  const title = `${SIZE.clients} clients x ${SIZE.servers} servers`;
  const most = Math.min(5, SIZE.clients);
  row(
    `${title}: server processes`,
    `${without.servers} -> ${shared.servers}, ${fewer.toFixed(1)} x fewer`,
    fewer >= most,
    `${most} x fewer`,
  );
  row(
    `${title}: memory (PSS), all included`,
    `${without.megabytes} -> ${shared.megabytes} MB, ${less.toFixed(1)} x less`,
    options.quick ? undefined : less >= 2.5,
    '2.5 x less',
  );
  return clients;
}

async function measureCalls() {
  const notes = new Notes();
  const server = { command: process.execPath, args: servers.s0.args };
  const { direct, proxies, daemon } = await callsThroughDaemon(server, SIZE.calls, run, notes);
  for (const line of notes.lines) console.error(`not measured: ${line}`);
  if (!direct || !daemon) throw new Error('no calls were measured');
  const times = (ms) => `${ms.toFixed(3)} ms ${(ms / direct).toFixed(2)} x`;
  row(
    'a call, p50, SDK client: direct, pipe and daemon',
    `${direct.toFixed(3)}, ${times(daemon)}`,
    daemon / direct <= 2.2,
    'at most 2.2 x',
  );
  row('the same through two proxies that only forward', times(proxies), undefined, '');
}

async function measureStarts() {
  const [bare, first] = [[], []];
  for (let n = 0; n < SIZE.starts; n += 1) {
    let began = performance.now();
    await left(spawned(['-e', '0']));
    bare.push(performance.now() - began);
    began = performance.now();
    const client = await piped().hello();
    await client.request('tools/list');
    first.push(performance.now() - began);
    await leave(client);
  }
  const [a, b] = [median(bare), median(first)];
  row(
    'bare node, the first list of another client, p50',
    `${a.toFixed(0)}, ${b.toFixed(0)} ms: ${(b / a).toFixed(2)} x`,
    b / a <= 1.5,
    'at most 1.5 x',
  );
}

async function measureLoss(client) {
  const times = [];
  for (let n = 0; n < SIZE.kills; n += 1) {
    process.kill(status().pid, 'SIGKILL');
    const lostAt = performance.now();
    // A request that was sent before the loss was detected may fail; the next one is answered.
    while ((await client.execute('s0', 'back')).error) await later(1);
    times.push(performance.now() - lostAt);
  }
  row(
    'the daemon is killed: the next call is answered, p50',
    `${median(times).toFixed(0)} ms (worst of ${times.length}: ${Math.max(...times).toFixed(0)})`,
    median(times) < 1_000,
    'under 1000 ms',
  );
}

async function measureMany() {
  const { pid } = status();
  const rss = () => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4;
  const before = rss();
  const many = [];
  for (let n = 0; n < SIZE.many; n += 1) {
    const end = connect(socket);
    many.push(Object.assign(await new LineClient(end, end).hello(), { end }));
  }
  const after = rss();
  const times = [];
  for (let round = 0; round < 5; round += 1)
    for (const client of many) {
      const began = performance.now();
      await client.execute('s0', 'x');
      times.push(performance.now() - began);
    }
  const each = ((after - before) / SIZE.many).toFixed(1);
  row(
    `${SIZE.many} clients: p99 of a call, memory for each`,
    `${quantile(times, 0.99).toFixed(2)} ms, ${each} kB`,
    undefined,
    '',
  );
  for (const { end } of many) end.destroy();
}

try {
  await measureCalls();
  const clients = await measureSharing();
  await measureStarts();
  await measureLoss(clients[0]);
  for (const client of clients) await leave(client);
  await later(IDLE_MS * 2);
  const { servers: idle } = figures();
  row('server processes after that long without a call', String(idle), idle === 0, '0');
  await measureMany();
} finally {
  spawnSync(process.execPath, [PORTOLAN, 'daemon', 'stop'], { env });
  for (const child of children) child.kill('SIGKILL');
  endAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}
if (options.json) console.log(JSON.stringify({ node: process.version, rows }, null, 2));
if (options.check && rows.some(({ isMet }) => isMet === false)) process.exitCode = 1;
