// Measures start times compared with bare Node in the same run: `portolan list` on an empty machine, and a process that
// imports the library and discovers a machine full of files. Figures are medians; the programs take turns, so that a
// noisy machine affects all of them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FILES, writeFullMachine } from './full-machine.mjs';

const ROUNDS = Number(process.argv[2] ?? 25);
const LIMITS = { discoverCpuMs: 150, listRatio: 2.5 };

const dist = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');
const folder = mkdtempSync(join(tmpdir(), 'portolan-bench-'));
for (const name of ['home', 'project', 'empty']) mkdirSync(join(folder, name));
writeFullMachine(folder);
const library = pathToFileURL(join(dist, 'index.js')).href;
const report = "process.on('exit', () => process.stderr.write('cpu ' + JSON.stringify(process.cpuUsage())));";
writeFileSync(
  join(folder, 'discover.mjs'),
  `${report}
import { discover } from '${library}';
const found = await discover({ home: ${JSON.stringify(join(folder, 'home'))}, cwd: ${JSON.stringify(join(folder, 'project'))}, env: { HOME: '/h', TOKEN: 't', KEY: 'k' } });
process.stderr.write('servers ' + found.definitions.length + ' problems ' + found.problems.length + ' ');`,
);

const env = { PATH: process.env.PATH, HOME: join(folder, 'empty') };
const cases = {
  'node -e 0': [process.execPath, ['-e', report]],
  'portolan list, empty machine': [process.execPath, [join(dist, 'cli.cjs'), 'list']],
  'import and discover, full machine': [process.execPath, [join(folder, 'discover.mjs')]],
};

function once([command, args]) {
  const begin = process.hrtime.bigint();
  const { status, stderr } = spawnSync(command, args, { env, cwd: join(folder, 'empty'), encoding: 'utf8' });
  const wallMs = Number(process.hrtime.bigint() - begin) / 1e6;
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  const cpu = /cpu (\{.*\})/.exec(stderr)?.[1];
  const { user = 0, system = 0 } = cpu ? JSON.parse(cpu) : {};
  return { wallMs, cpuMs: (user + system) / 1000, stderr };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const runs = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
try {
  for (let round = -2; round < ROUNDS; round += 1) {
    for (const [name, command] of Object.entries(cases)) {
      const run = once(command);
      if (round >= 0) runs[name].push(run); // the first two rounds fill the caches
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const wall = (name) => median(runs[name].map((run) => run.wallMs));
const cpu = (name) => median(runs[name].map((run) => run.cpuMs));
const [bare, list, full] = Object.keys(cases);
for (const name of Object.keys(cases)) console.log(`${name.padEnd(36)} ${wall(name).toFixed(1).padStart(7)} ms`);
const ratio = wall(list) / wall(bare);
const cost = cpu(full) - cpu(bare);
console.log(`\n${FILES.length} files, ${/servers \d+/.exec(runs[full][0].stderr)?.[0]}, ${ROUNDS} rounds`);
console.log(`portolan list / node -e 0             ${ratio.toFixed(2)} x      (limit ${LIMITS.listRatio} x)`);
console.log(
  `CPU of import and discover            ${cost.toFixed(0)} ms     (limit ${LIMITS.discoverCpuMs} ms over bare node)`,
);
process.exitCode = ratio > LIMITS.listRatio || cost > LIMITS.discoverCpuMs ? 1 : 0;
