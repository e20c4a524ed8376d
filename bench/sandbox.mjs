// Measures `run_python` in each engine that works here: `node bench/sandbox.mjs`.
//   --quick  fewer rounds      --json  figures for programs      --check  exit 1 if a target is missed
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { median, Notes, quantile } from './gateway/figures.mjs';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});

const ENGINES = ['bwrap', 'deno', 'pyodide', 'podman', 'docker'];
const SIZE = options.quick ? { cold: 2, warm: 4, calls: 200 } : { cold: 5, warm: 15, calls: 1_000 };
/** By then a spare interpreter is ready, also on a busy machine. */
const SPARE_MS = { bwrap: 600, deno: 3_000, pyodide: 4_000, podman: 4_000, docker: 4_000 };
const CALL_MS = 100;
const AT_ONCE = 20;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
// Below node_modules, so that Pyodide is found as an installed portolan would find it.
const folder = mkdtempSync(join(root, 'node_modules', '.portolan-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
  process.on(signal, () => process.exit(code));

const say = (line) => process.stderr.write(`${process.uptime().toFixed(0).padStart(4)} s  ${line}\n`);
const notes = new Notes();
const outfile = join(folder, 'sandbox.mjs');
const entryPoints = [join(root, 'src/sandbox/index.ts')];
await build({
  entryPoints,
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  logLevel: 'error',
});
const { DEFAULT_LIMITS, openSandbox } = await import(pathToFileURL(outfile).href);

const LIMITS = { ...DEFAULT_LIMITS, timeoutMs: 60_000, hostCalls: 5_000 };
const tool = (name) => ({ name, alias: name, input_schema: { type: 'object', properties: { n: {} } } });
const servers = [{ name: 'bench', alias: 'bench', tools: [tool('echo'), tool('slow')] }];
const call = async ({ tool: name, arguments: given }) => {
  if (name === 'slow') await pause(CALL_MS);
  return { content: [{ type: 'text', text: JSON.stringify(given) }] };
};

/** Runs one program; returns its duration, and its value as a number. */
async function timed(sandbox, code, session) {
  const began = performance.now();
  const job = { code, servers, ...(session && { session }) };
  const outcome = await sandbox.run(job, call, LIMITS, new AbortController().signal);
  if (outcome.kind !== 'value') throw new Error(JSON.stringify(outcome).slice(0, 300));
  return { ms: performance.now() - began, value: Number(outcome.value?.text) };
}

const SEQUENCE = `
import time
times = []
for n in range(${SIZE.calls}):
    began = time.perf_counter()
    mcp_bench.echo(n=n)
    times.append(time.perf_counter() - began)
sorted(times)[len(times) // 2] * 1e6`;
const CONCURRENT = `
import asyncio, time
began = time.perf_counter()
await mcp_bench.slow()
one = time.perf_counter() - began
began = time.perf_counter()
await asyncio.gather(*[mcp_bench.slow(n=n) for n in range(${AT_ONCE})])
(time.perf_counter() - began) / one`;

async function measure(engine) {
  const open = () => openSandbox({ engine, folder, log: () => undefined });
  const figures = {};
  const first = open();
  try {
    const began = performance.now();
    await first.engine();
    figures.first = performance.now() - began;
  } finally {
    await first[Symbol.asyncDispose]();
  }
  const cold = [];
  for (let n = 0; n < SIZE.cold; n += 1) {
    const sandbox = open();
    await sandbox.engine();
    cold.push((await timed(sandbox, 'print(1)')).ms);
    await sandbox[Symbol.asyncDispose]();
  }
  figures.cold = median(cold);
  const sandbox = open();
  try {
    await timed(sandbox, 'print(1)');
    const warm = [];
    for (let n = 0; n < SIZE.warm; n += 1) {
      await pause(SPARE_MS[engine]);
      warm.push((await timed(sandbox, 'print(1)')).ms);
    }
    figures.warm = median(warm);
    figures.warmWorst = quantile(warm, 0.95);
    await pause(SPARE_MS[engine]);
    await timed(sandbox, 'print(1)', 'kept');
    figures.kept = median(await inTurn(SIZE.warm * 3, async () => (await timed(sandbox, 'print(1)', 'kept')).ms));
    await pause(SPARE_MS[engine]);
    figures.call = median(await inTurn(3, async () => (await timed(sandbox, SEQUENCE, 'kept')).value));
    figures.concurrent = median(await inTurn(5, async () => (await timed(sandbox, CONCURRENT, 'kept')).value));
  } finally {
    await sandbox[Symbol.asyncDispose]();
  }
  figures.memory = await memoryOf(open());
  return figures;
}

/** The resident memory of one idle interpreter with its helper processes, in MB. */
async function memoryOf(sandbox) {
  const before = new Set(descendants().map(({ pid }) => pid));
  try {
    await timed(sandbox, 'print(1)', 'kept');
    await pause(SPARE_MS.pyodide);
    const below = descendants().filter(({ pid }) => !before.has(pid));
    const guests = below.filter(({ parent }) => parent === process.pid).length;
    return below.reduce((sum, { kilobytes }) => sum + kilobytes, 0) / 1024 / guests;
  } finally {
    await sandbox[Symbol.asyncDispose]();
  }
}

function descendants() {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss=,comm='], { encoding: 'utf8' }).trim().split('\n');
  const all = rows.map((row) => row.trim().split(/\s+/)).filter(([, , , name]) => name !== 'ps' && name !== 'esbuild');
  const found = [];
  const parents = [process.pid];
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    for (const [pid, above, kilobytes] of all.map((row) => row.map(Number))) {
      if (above !== parent) continue;
      parents.push(pid);
      found.push({ pid, parent, kilobytes });
    }
  }
  return found;
}

async function inTurn(times, act) {
  const results = [];
  for (let n = 0; n < times; n += 1) results.push(await act());
  return results;
}

const under = (limits) => ({
  text: Object.entries(limits)
    .map(([engine, limit]) => `${engine} ≤ ${limit}`)
    .join(', '),
  judge: (engine, value) => (limits[engine] === undefined ? undefined : value <= limits[engine]),
});
const ROWS = [
  { id: 'first', label: 'first probe, nothing cached', unit: 'ms' },
  { id: 'cold', label: 'cold print(1), snapshot cached', unit: 'ms', target: under({ bwrap: 200, pyodide: 1_500 }) },
  { id: 'warm', label: 'warm print(1), a spare waiting', unit: 'ms', target: under({ bwrap: 10, pyodide: 30 }) },
  { id: 'warmWorst', label: 'the same, p95', unit: 'ms' },
  { id: 'kept', label: 'print(1) in a kept session', unit: 'ms' },
  { id: 'call', label: 'a host call', unit: 'µs' },
  {
    id: 'concurrent',
    label: `${AT_ONCE} calls of ${CALL_MS} ms at once, against one`,
    unit: 'x',
    target: under(Object.fromEntries(ENGINES.map((engine) => [engine, 1.3]))),
  },
  { id: 'memory', label: 'resident memory of one interpreter', unit: 'MB' },
];

const measured = new Map();
for (const engine of ENGINES) {
  try {
    say(`${engine} …`);
    measured.set(engine, await measure(engine));
  } catch (error) {
    notes.add(`${engine} is left out`, error);
  }
}

const verdict = (row, engine) => row.target?.judge(engine, measured.get(engine)?.[row.id]);
const missed = ROWS.flatMap((row) => [...measured.keys()].filter((engine) => verdict(row, engine) === false));
if (options.json) {
  const rows = ROWS.map(({ id, label, unit, target }) => ({
    ...{ id, label, unit, target: target?.text },
    values: Object.fromEntries([...measured].map(([engine, figures]) => [engine, figures[id]])),
  }));
  console.log(JSON.stringify({ node: process.version, rows, notes: notes.lines }, null, 2));
} else {
  const cell = (text) => text.padStart(14);
  console.log(`${''.padEnd(46)}${[...measured.keys()].map(cell).join('')}   target`);
  for (const row of ROWS) {
    const cells = [...measured].map(([engine, figures]) => {
      const mark = { true: ' ✓', false: ' ✗' }[String(verdict(row, engine))] ?? '  ';
      return cell(`${figures[row.id].toFixed(figures[row.id] >= 100 ? 0 : 2)}${mark}`);
    });
    const target = row.id === 'concurrent' ? 'all ≤ 1.3' : (row.target?.text ?? '');
    console.log(`${`${row.label}, ${row.unit}`.padEnd(46)}${cells.join('')}   ${target}`.trimEnd());
  }
  for (const line of notes.lines) console.log(`not measured: ${line}`);
}
process.stdout.write('', () => process.exit(options.check && missed.length > 0 ? 1 : 0));
