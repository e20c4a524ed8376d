// How well and how fast tools are found, beside MiniSearch in the same run, on labelled queries and real catalogues.
// Queries were tuned on one half (by a hash of the tool or server that is looked for) and only measured on the other.
// The room is bundled as it ships. Sizes are measured each in a process of its own, so that one heap is not the other's.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const self = fileURLToPath(import.meta.url);
const root = join(dirname(self), '..');
const data = join(root, '..', 'shared', 'data');
const SIZES = [500, 3_000, 10_000, 50_000];
const USES = 8;
const WARM_UP = 20;
/** A query counts with the best of these, so that what else the machine does is left out. */
const TRIES = 3;
const MAX_ANSWER_TOKENS = 350;

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const labelled = () =>
  ['toolbench-g1', 'metatool-dev', 'bfcl-dev'].map((name) => readJson(join(data, 'retrieval', `${name}.json`)));
const catalogues = () =>
  readdirSync(join(data, 'catalogs')).flatMap((file) => {
    const { serverInfo, tools } = readJson(join(data, 'catalogs', file));
    return tools.map(({ name, description, inputSchema }) => ({
      server: serverInfo.name,
      name,
      description,
      inputSchema,
    }));
  });

async function optional(name, why) {
  try {
    return await import(name);
  } catch {
    console.log(`${name} is not installed (npm install --no-save ${name}): ${why} is left out\n`);
    return undefined;
  }
}

const hash = (text) =>
  [...text].reduce((sum, char) => Math.imul(sum ^ char.charCodeAt(0), 0x01000193), 0x811c9dc5) >>> 0;
const median = (values) => quantile(values, 0.5);
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
const keyOf = (server, tool) => `${server}\n${tool}`;
const letters = (text) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
/** Most functions of one set have no server of their own, so they are told apart by their names. */
const isHeldOut = ({ gold: [{ server, tool }] }) => hash(`${server}/${server === 'functions' ? tool : ''}`) % 2 === 1;
const cpuMs = (since) => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

/** Whatever is measured: something that gives the keys of the ten best tools. */
function portolan({ createToolIndex }, tools, uses = []) {
  const index = createToolIndex(tools);
  for (const { gold, q } of uses) for (const { server, tool } of gold) index.remember({ server, tool }, q);
  return (query) => index.search(query).map(({ server, tool }) => keyOf(server, tool));
}

function miniSearch({ default: MiniSearch }, tools) {
  const index = new MiniSearch({ fields: ['name', 'server', 'description', 'parameters'] });
  const words = ({ inputSchema }) =>
    Object.entries(inputSchema?.properties ?? {}).map(([name, value]) => `${name} ${value?.description ?? ''}`);
  index.addAll(tools.map((tool, id) => ({ ...tool, id, parameters: words(tool).join(' ') })));
  return (query) =>
    index
      .search(query)
      .slice(0, 10)
      .map(({ id }) => keyOf(tools[id].server, tools[id].name));
}

function score(find, queries) {
  const begin = process.cpuUsage();
  const rows = queries.map(({ q, gold }) => ({
    found: find(q),
    gold: new Set(gold.map((one) => keyOf(one.server, one.tool))),
  }));
  const cpu = cpuMs(begin) / queries.length;
  const mean = (value) => rows.reduce((sum, row) => sum + value(row), 0) / rows.length;
  const hits = ({ found, gold }, depth) => found.slice(0, depth).filter((key) => gold.has(key)).length;
  const gain = (places) => places.reduce((sum, place) => sum + 1 / Math.log2(place + 2), 0);
  return {
    queries: rows.length,
    recall1: mean((row) => hits(row, 1) / row.gold.size),
    recall5: mean((row) => hits(row, 5) / row.gold.size),
    recall10: mean((row) => hits(row, 10) / row.gold.size),
    ndcg10: mean(({ found, gold }) => {
      const places = found.slice(0, 10).flatMap((key, place) => (gold.has(key) ? [place] : []));
      return gain(places) / gain([...Array(Math.min(10, gold.size)).keys()]);
    }),
    complete10: mean((row) => (hits(row, 10) === row.gold.size ? 1 : 0)),
    hit5: mean((row) => (hits(row, 5) > 0 ? 1 : 0)),
    cpu,
  };
}

/**
 * As many folds as a tool may have uses: each query is asked of an index that remembers all the others. The tools that are
 * not asked for have their uses too: if only those looked for had any, a use would be a hint that this is the one.
 */
function scoreRemembered(room, tools, queries, isAsked) {
  const turns = new Map();
  const folds = queries.map(({ gold: [{ server, tool }] }) => {
    const turn = turns.get(keyOf(server, tool)) ?? 0;
    turns.set(keyOf(server, tool), turn + 1);
    return turn % USES;
  });
  const parts = [...Array(USES).keys()].map((fold) => {
    const uses = queries.filter((_, n) => folds[n] !== fold);
    const asked = queries.filter((query, n) => folds[n] === fold && isAsked(query));
    return score(portolan(room, tools, uses), asked);
  });
  const total = parts.reduce((sum, part) => sum + part.queries, 0);
  return parts.reduce((sum, part) => sum + (part.recall5 * part.queries) / total, 0);
}

/** One letter of the longest word, which is seldom one of asking, dropped, swapped, added or changed; never the first. */
function withTypo(text) {
  const words = [...text.matchAll(/[A-Za-z]{4,}/g)].sort((a, b) => b[0].length - a[0].length);
  const seed = hash(text);
  const word = words[0];
  if (!word) return text;
  const at = word.index + 1 + ((seed >>> 8) % (word[0].length - 2));
  const letter = String.fromCharCode(97 + ((seed >>> 20) % 26));
  const [before, after] = [text.slice(0, at), text.slice(at)];
  return [
    `${before}${after.slice(1)}`,
    `${before}${after[1]}${after[0]}${after.slice(2)}`,
    `${before}${letter}${after}`,
    `${before}${letter}${after.slice(1)}`,
  ][(seed >>> 16) % 4];
}

function exactNamesFirst(room, tools) {
  const index = room.createToolIndex(tools);
  const named = tools.filter(({ name }) => letters(name) !== '' && name.length + 1 <= 100);
  const isFirst = (query, want) => want(index.search(query, { limit: 1 })[0] ?? { server: '', tool: '' });
  const ways = named.flatMap(({ server, name }) => [
    isFirst(
      name,
      (first) => letters(first.tool) === letters(name) || letters(first.server + first.tool) === letters(name),
    ),
    ...(server.length + name.length > 110
      ? []
      : [
          isFirst(
            `${server}__${name}`,
            (first) => letters(first.server + first.tool).includes(letters(name)) && first.server === server,
          ),
        ]),
  ]);
  return ways.filter(Boolean).length / ways.length;
}

/** Copies of the real tools under other names, each with a rare word of its own, so that the vocabulary grows as well. */
function manyTools(count) {
  const pool = [...catalogues(), ...labelled().flatMap(({ tools }) => tools)];
  return Array.from({ length: count }, (_, n) => {
    const copy = Math.floor(n / pool.length);
    const tool = pool[n % pool.length];
    const rare = `zq${(Math.imul(n, 2654435761) >>> 0) % 60_000}`.replaceAll(/\d/g, (digit) => 'abcdefghij'[digit]);
    const description = `${tool.description ?? ''} ${rare}`;
    return copy === 0
      ? { ...tool, description }
      : { ...tool, server: `${tool.server}-${copy}`, name: `${tool.name}_${copy}`, description };
  });
}

async function measureSize(engine, module, count) {
  const tools = manyTools(count);
  const every = engine === 'portolan' ? 6 : 100;
  const queries = labelled().flatMap((set) => set.queries.filter((_, n) => n % every === 0).map(({ q }) => q));
  const used = () => {
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return (heapUsed + arrayBuffers) / 1e6;
  };
  const room = await import(module);
  (engine === 'portolan' ? portolan : miniSearch)(room, tools.slice(0, 300))('warm up');
  await new Promise((resolve) => setImmediate(resolve)); // the index of the warm-up is garbage only then
  const heap = used();
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  const find = (engine === 'portolan' ? portolan : miniSearch)(room, tools);
  const [buildMs, buildCpuMs] = [performance.now() - begin, cpuMs(cpu)];
  const heapMb = used() - heap;
  for (const query of queries.slice(0, WARM_UP)) find(query);
  const timed = queries.map((query) => {
    const tries = Array.from({ length: engine === 'portolan' ? TRIES : 1 }, () => {
      const [start, since] = [performance.now(), process.cpuUsage()];
      find(query);
      return { wall: performance.now() - start, cpu: cpuMs(since) };
    });
    return { wall: Math.min(...tries.map(({ wall }) => wall)), cpu: Math.min(...tries.map(({ cpu }) => cpu)) };
  });
  const [wall, asking] = [timed.map((one) => one.wall), timed.map((one) => one.cpu)];
  const quantiles = (values) => ({ p50: median(values), p99: quantile(values, 0.99) });
  console.log(
    JSON.stringify({ buildMs, buildCpuMs, heapMb, wall: quantiles(wall), cpu: quantiles(asking), kept: tools.length }),
  );
}

function inOwnProcess(engine, module, count) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', self, 'size', engine, module, String(count)],
    {
      encoding: 'utf8',
      timeout: 300_000,
    },
  );
  if (status !== 0) throw new Error(`measuring ${engine} at ${count} failed: ${stderr}`);
  return JSON.parse(stdout);
}

const points = (value) => (100 * value).toFixed(1).padStart(6);
const ms = (value) => value.toFixed(2).padStart(8);
const targets = [];
const target = (title, value, limit, isMet, stretch) => targets.push({ title, value, limit, isMet, stretch });

function quality(room, mini) {
  console.log(`${'nDCG and recall in points'.padEnd(40)} queries    r@1    r@5   r@10  nDCG@10 compl@10  CPU ms`);
  const gains = { all: [], held: [] };
  for (const { name, tools, queries } of labelled()) {
    const find = portolan(room, tools);
    const other = mini && miniSearch(mini, tools);
    const parts = { all: queries, tuned: queries.filter((one) => !isHeldOut(one)), held: queries.filter(isHeldOut) };
    for (const [part, asked] of Object.entries(parts)) {
      for (const [engine, search] of Object.entries({ portolan: find, MiniSearch: other })) {
        if (!search) continue;
        const { recall1, recall5, recall10, ndcg10, complete10, cpu } = score(search, asked);
        const title = `${name}, ${part}, ${engine}`.padEnd(40);
        console.log(
          `${title} ${String(asked.length).padStart(7)} ${[recall1, recall5, recall10, ndcg10, complete10].map(points).join(' ')} ${ms(cpu)}`,
        );
        if (part !== 'tuned') gains[part].push(engine === 'portolan' ? ndcg10 : -ndcg10);
      }
    }
    if (name !== 'metatool-dev') continue;
    for (const part of ['all', 'held']) {
      const [plain, remembered] = [
        score(find, parts[part]).recall5,
        scoreRemembered(room, tools, queries, (query) => part === 'all' || isHeldOut(query)),
      ];
      target(`${name} recall@5, ${part}`, plain, '0.72', plain >= 0.72, plain >= 0.82);
      target(
        `${name} recall@5 with up to 7 remembered uses, ${part}`,
        remembered,
        '0.82',
        remembered >= 0.82,
        remembered >= 0.9,
      );
    }
  }
  if (!mini) return;
  for (const [part, values] of Object.entries(gains)) {
    const gain = values.reduce((sum, value) => sum + value, 0) / 3;
    target(`mean nDCG@10 over MiniSearch, ${part}`, gain, '+0.12', gain >= 0.12, gain >= 0.2);
  }
}

function names(room) {
  const sets = [...labelled(), { name: 'catalogues', tools: catalogues() }];
  for (const { name, tools } of sets) {
    const share = exactNamesFirst(room, tools);
    target(`exact name first, ${name}`, share, '1.00', share === 1, share === 1);
  }
  const losses = labelled().map(({ tools, queries }) => {
    const find = portolan(room, tools);
    return (
      score(find, queries).hit5 -
      score(
        find,
        queries.map((one) => ({ ...one, q: withTypo(one.q) })),
      ).hit5
    );
  });
  const loss = Math.max(...losses);
  target('one typo: loss of hit@5, the worst of three', loss, '0.05', loss <= 0.05, loss <= 0.02);
  const tools = catalogues();
  const short = tools.map(({ server, name }) => ({
    q: name.replaceAll(/[_-]+/g, ' '),
    gold: [{ server, tool: name }],
  }));
  const find = portolan(room, tools);
  const shortLoss =
    score(find, short).hit5 -
    score(
      find,
      short.map((one) => ({ ...one, q: withTypo(one.q) })),
    ).hit5;
  target('one typo in a bare name: loss of hit@5, catalogues', shortLoss, '0.05', shortLoss <= 0.05, shortLoss <= 0.02);
}

/** As the gateway answers: no empty tags, relevance with two digits. */
function tokens(room, { encode }) {
  const index = room.createToolIndex(catalogues());
  const queries = labelled().flatMap((set) => set.queries.filter((_, n) => n % 20 === 0).map(({ q }) => q));
  const asked = [
    ...queries,
    ...catalogues()
      .filter((_, n) => n % 7 === 0)
      .map(({ description, name }) => room.summaryOf(description) || name),
  ];
  const sizes = asked.flatMap((query) => {
    const results = index.search(query).map(({ server, tool, summary, relevance, tags }) => ({
      server,
      tool,
      summary,
      relevance,
      ...(tags.length > 0 && { tags }),
    }));
    return results.length === 10 ? [encode(JSON.stringify({ results })).length] : [];
  });
  target(
    `tokens of ten results, median of ${sizes.length}`,
    median(sizes),
    String(MAX_ANSWER_TOKENS),
    median(sizes) < MAX_ANSWER_TOKENS,
    true,
  );
}

/** Judged by CPU time, which on a machine with nothing else to do is the time that passes and on a busy one is still ours. */
function sizes(module, mini) {
  console.log(`\n${'ms and MB'.padEnd(24)}    build  CPU of it    heap  p50 wall      CPU  p99 wall      CPU`);
  for (const count of SIZES) {
    for (const engine of mini ? ['portolan', 'minisearch'] : ['portolan']) {
      const run = inOwnProcess(engine, engine === 'portolan' ? module : 'minisearch', count);
      const { buildMs, buildCpuMs, heapMb, wall, cpu } = run;
      const built = `${buildMs.toFixed(0).padStart(8)} ${buildCpuMs.toFixed(0).padStart(10)} ${heapMb.toFixed(1).padStart(7)}`;
      const asked = [wall.p50, cpu.p50, wall.p99, cpu.p99].map((value) => value.toFixed(2).padStart(8)).join(' ');
      console.log(`${`${count}, ${engine}`.padEnd(24)} ${built}  ${asked}`);
      const limits = { 10000: [2, 10, 1_000, 20], 50000: [5, 20, 4_000, 50] }[count];
      if (!limits || engine !== 'portolan') continue;
      const values = {
        'p50, CPU ms': cpu.p50,
        'p99, CPU ms': cpu.p99,
        'build, CPU ms': buildCpuMs,
        'heap, MB': heapMb,
      };
      Object.entries(values).forEach(([what, value], n) => {
        target(`${count} tools: ${what}`, value, String(limits[n]), value <= limits[n], value <= limits[n] / 2);
      });
    }
  }
}

async function main() {
  if (!existsSync(data)) {
    console.log(`${data} is not there: nothing can be measured`);
    return;
  }
  const { build } = await import('esbuild');
  const folder = mkdtempSync(join(tmpdir(), 'portolan-bench-'));
  try {
    const outfile = join(folder, 'search.mjs');
    await build({
      absWorkingDir: root,
      entryPoints: ['src/search/index.ts'],
      outfile,
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      logLevel: 'warning',
    });
    const module = pathToFileURL(outfile).href;
    const room = await import(module);
    const mini = await optional('minisearch', 'the comparison');
    quality(room, mini);
    names(room);
    const tokenizer = await optional('gpt-tokenizer/encoding/o200k_base', 'the size of an answer');
    if (tokenizer) tokens(room, tokenizer);
    sizes(module, mini);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log('\ntargets');
  for (const { title, value, limit, isMet, stretch } of targets)
    console.log(
      `${title.padEnd(62)} ${value.toFixed(value >= 100 ? 0 : 3).padStart(8)}  (${limit}) ${isMet ? (stretch ? 'met, stretch too' : 'met') : 'MISSED'}`,
    );
  process.exitCode = targets.every(({ isMet }) => isMet) ? 0 : 1;
}

const [mode, engine, module, count] = process.argv.slice(2);
if (mode === 'size') await measureSize(engine, module, Number(count));
else await main();
