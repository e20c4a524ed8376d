// Portolan beside a direct connection, a proxy that only forwards, and the npm packages people use for the same: `npm run bench`.
//   --quick  fewer rounds, under a minute      --json  figures for programs
//   --check  exit 1 if a target is missed      --peers <folder>  install the peers there and keep them
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { contenders as allContenders } from './gateway/contenders.mjs';
import { Notes } from './gateway/figures.mjs';
import { measureCalls } from './gateway/measure-calls.mjs';
import { measureLarge } from './gateway/measure-large.mjs';
import { measureLoad } from './gateway/measure-load.mjs';
import { measurePackage } from './gateway/measure-package.mjs';
import { measureStarts } from './gateway/measure-starts.mjs';
import { installPeers, PEER_NAMES } from './gateway/peers.mjs';
import { endAll } from './gateway/processes.mjs';
import { jsonOf, tableOf } from './gateway/report.mjs';
import { rowsOf, verdictsOf } from './gateway/rows.mjs';
import { catalogServers, catalogSize, everythingServer, leanServer } from './gateway/servers.mjs';
import { runFolder } from './gateway/session.mjs';
import { searchSeveralNeeds } from './gateway/usual-state.mjs';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    peers: { type: 'string' },
  },
});

const FULL = {
  starts: { rounds: 7 },
  // The result of a start depends on the CPU cores that the system chooses, so there are many starts with a few batches
  // each.
  calls: { epochs: 8, batches: 4, inSequence: 250, atOnce: 1_000 },
  large: { rounds: 4 },
  load: { rounds: 1, searches: 50 },
  package: { rounds: 15 },
};
const QUICK = {
  starts: { rounds: 1 },
  calls: { epochs: 1, batches: 3, inSequence: 100, atOnce: 400 },
  large: { rounds: 1 },
  load: { rounds: 1, searches: 10 },
  package: { rounds: 5 },
};

function tidy() {
  endAll();
  rmSync(runFolder, { recursive: true, force: true, maxRetries: 5 });
}
process.on('exit', tidy);
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  process.on(signal, () => process.exit(code));
}

const say = (line) => process.stderr.write(`${process.uptime().toFixed(0).padStart(4)} s  ${line}\n`);
const size = options.quick ? QUICK : FULL;
const notes = new Notes();

say('installing the peers …');
const peers = await installPeers(options.peers ?? join(runFolder, 'peers'));
const all = allContenders(peers);
for (const { name, problem } of all) if (problem) notes.add(`${name} is left out`, problem);
const present = all.filter(({ problem }) => problem === undefined);

say('starts …');
const starts = await measureStarts(present, size.starts, notes);
const taking = present.filter(({ name }) => starts.one?.has(name)); // a contender that cannot start was reported already
say('calls …');
const lean = await measureCalls(taking, leanServer('target'), { ...size.calls, tool: 'echo' }, notes);
const sdk = await callsWithSdk(leanServer('target'));
const real = everythingServer();
if (!real) notes.add('server-everything', 'is not installed');
const sdkReal = real ? await callsWithSdk(real) : new Map();
const tools = catalogSize();
if (tools === 0) notes.add('memory, search and the usual state', 'no recorded catalogs (../shared/data/catalogs)');
// Only a gateway with a search of this kind can be in this state; the others are the reference.
const inUsualState = taking.filter(({ name }) => ['direct', 'bare proxy', 'portolan'].includes(name));
const usual =
  tools > 0
    ? await callsWithSdk(leanServer('target'), inUsualState, { beside: catalogServers(), prepare: searchSeveralNeeds })
    : new Map();
say('large results …');
const large = await measureLarge(taking, leanServer('target'), size.large, notes);
say('load …');
const load =
  tools > 0 ? await measureLoad(taking, size.load, notes) : { rss: new Map(), pss: new Map(), search: new Map() };

say('the package …');
const packed = measurePackage(peers, size.package, notes);

const rows = rowsOf({ starts, lean, sdk, sdkReal, usual, large, load, tools, packed });
const verdicts = rows.flatMap((row) => (row.section ? [] : Object.values(verdictsOf(row, PEER_NAMES))));
if (options.json) console.log(JSON.stringify(jsonOf(rows, all, PEER_NAMES, notes.lines), null, 2));
else {
  console.log(tableOf(rows, all, PEER_NAMES));
  for (const { name, version } of all) if (version) console.log(`${name} ${version}`);
  for (const line of notes.lines) console.log(`not measured: ${line}`);
}
const isMissed = verdicts.includes('missed') || !starts.one?.has('portolan');
process.stdout.write('', () => process.exit(options.check && isMissed ? 1 : 0)); // after all output was written

/** Only contenders over pipes: HTTP is a different comparison. */
async function callsWithSdk(server, among = taking, more = {}) {
  try {
    const { SdkClient } = await import('./gateway/sdk-client.mjs');
    const overPipes = among.filter(({ name }) => !['mcp-proxy', 'supergateway'].includes(name));
    const client = (launch, place) => new SdkClient(launch, place);
    return await measureCalls(overPipes, server, { ...size.calls, ...more, tool: 'echo', client }, notes);
  } catch (error) {
    notes.add('SDK client', error);
    return new Map();
  }
}
