// Calls only, to compare builds of Portolan with each other and with a proxy that only forwards, in one run:
//   node bench/calls.mjs [--starts 6] [--usual] [old=/path/to/dist/cli.cjs …]
// The build of this directory takes part as "portolan". `--usual` adds the recorded catalogs and searches before the
// calls.
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bareProxy, direct, portolanAt } from './gateway/contenders.mjs';
import { Notes, pairedRatio } from './gateway/figures.mjs';
import { measureCalls } from './gateway/measure-calls.mjs';
import { endAll } from './gateway/processes.mjs';
import { SdkClient } from './gateway/sdk-client.mjs';
import { catalogServers, everythingServer, leanServer, PORTOLAN } from './gateway/servers.mjs';
import { runFolder } from './gateway/session.mjs';
import { searchSeveralNeeds } from './gateway/usual-state.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { starts: { type: 'string', default: '6' }, usual: { type: 'boolean', default: false } },
});
process.on('exit', () => {
  endAll();
  rmSync(runFolder, { recursive: true, force: true, maxRetries: 5 });
});
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  process.on(signal, () => process.exit(code));
}

const builds = positionals.map((word) => portolanAt(...word.split(/=(.*)/s).slice(0, 2)));
const contenders = [direct, bareProxy, portolanAt('portolan', PORTOLAN), ...builds];
const notes = new Notes();
const size = { epochs: Number(values.starts), batches: 6, inSequence: 100, atOnce: 500 };
const client = (launch, place) => new SdkClient(launch, place);
const usual = values.usual ? { beside: catalogServers(), prepare: searchSeveralNeeds } : {};

for (const [name, server] of Object.entries({ lean: leanServer('target'), everything: everythingServer() })) {
  if (!server) continue;
  const found = await measureCalls(contenders, server, { ...size, ...usual, client, tool: 'echo' }, notes);
  const bare = found.get('bare proxy');
  console.log(`${name} server, SDK client`.padEnd(30), '   p50 ms   x bare   calls/s   x bare    cpu µs');
  for (const [contender, { p50, callsPerSecond, cpuPerCall = 0, batches }] of found) {
    const p50Ratio = bare ? pairedRatio(batches.medians, bare.batches.medians).toFixed(2) : '–';
    const callsRatio = bare ? pairedRatio(batches.rates, bare.batches.rates).toFixed(2) : '–';
    const cells = [p50.toFixed(3), p50Ratio, callsPerSecond.toFixed(0), callsRatio, cpuPerCall.toFixed(1)];
    console.log(contender.padEnd(30), cells.map((cell) => cell.padStart(9)).join(''));
  }
}
for (const line of notes.lines) console.log(`not measured: ${line}`);
process.exit(0); // sessions of the SDK client keep timers
