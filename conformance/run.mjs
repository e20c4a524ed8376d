// Runs the official conformance suite through the gateway and prints the score:
//   node conformance/run.mjs [--direct] [--required] [--only <text>] [--verbose] [--program <file>]
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { score } from './score.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const LEG_MS = 15 * 60_000;
/** The suite starts all its client scenarios at once, and each waits for its turn. */
const SCENARIO_MS = LEG_MS;
const MAX_OUTPUT = 4 * 1024 * 1024;

const { values: flags } = parseArgs({
  options: {
    direct: { type: 'boolean', default: false },
    required: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    program: { type: 'string' },
  },
});
// Set before the module that reads it is loaded; the suite passes it to the client that it starts.
if (flags.program) process.env.CONFORMANCE_PROGRAM = resolve(flags.program);
const { prepareTools } = await import('./tools.mjs');
const { OLDER_STYLE_TARGETS, TARGETS } = await import('./targets.mjs');
const { FIXTURE, makeHome, PROGRAM } = await import('./throw-away-home.mjs');
const { start } = await import('./children.mjs');

const SERVER_LEGS = [
  { name: '0.1.16 active', suite: 'suite-0.1', words: [] },
  { name: '0.1.16 all', suite: 'suite-0.1', words: ['--suite', 'all'] },
  { name: '0.2.0-alpha.12 2025-11-25', suite: 'suite-0.2', words: ['--requirements', '2025-11-25'] },
  { name: '0.2.0-alpha.12 2026-07-28', suite: 'suite-0.2', words: ['--requirements', '2026-07-28'] },
];
/** A server whose tools send requests to the client needs a handshake in the revision of the client. */
const OLDER_STYLE_SCENARIOS = [
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
];
const CLIENT_LEGS = [
  { name: '0.1.16 all', suite: 'suite-0.1', words: ['--suite', 'all'] },
  ...SERVER_LEGS.filter(({ suite }) => suite === 'suite-0.2'),
];
const CLIENT = ['client', '--command', 'node conformance/client.mjs', '--timeout', String(SCENARIO_MS)];

const say = (line = '') => process.stdout.write(`${line}\n`);

/** Its output and its exit; a leg that does not end is ended. */
function runToEnd(command, args, options = { cwd: root }) {
  return new Promise((done) => {
    const child = start(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const limit = setTimeout(() => child.kill('SIGKILL'), LEG_MS);
    let output = '';
    const keep = (chunk) => {
      if (output.length < MAX_OUTPUT) output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.once('close', (code) => {
      clearTimeout(limit);
      if (flags.verbose) process.stderr.write(output);
      done({ output, exit: code ?? -1 });
    });
  });
}

/** One row of the table. A run without checks counts as failed, although the suite reports success. */
function report(name, exit, { passed, failed, unscored = 0, failing = [] }) {
  const isGood = exit === 0 && passed > 0;
  const columns = [
    (isGood ? 'ok' : 'FAILED').padEnd(8),
    name.padEnd(56),
    `${passed} passed, ${failed} failed`.padEnd(26),
    `exit ${exit}`.padEnd(8),
    unscored > 0 ? `(${unscored} of the failed are not scored)` : '',
  ];
  say(columns.join('').trimEnd());
  for (const scenario of failing) say(`          ✗ ${scenario}`);
  return { isGood };
}

async function runLeg({ node, suites }, name, suite, words) {
  const { output, exit } = await runToEnd(node, [suites[suite], ...words]);
  return report(name, exit, score(output));
}

async function runServerLegs(tools, targetName) {
  const legs = SERVER_LEGS.map((leg) => ({ ...leg, name: `server, ${targetName}: ${leg.name}` }));
  const chosen = legs.filter(({ name }) => name.includes(flags.only));
  if (chosen.length === 0) return [];
  const target = await TARGETS[targetName]();
  const results = [];
  try {
    for (const { name, suite, words } of chosen)
      results.push(await runLeg(tools, name, suite, ['server', '--url', target.url, ...words]));
  } finally {
    await target.stop();
  }
  return results;
}

/** The scenarios one by one, as one row. */
async function runOlderStyleLeg({ node, suites }, targetName) {
  const name = `server, ${targetName}: 0.1.16, older style`;
  if (!name.includes(flags.only)) return [];
  const target = await OLDER_STYLE_TARGETS[targetName]();
  const scores = [];
  let exit = 0;
  try {
    for (const scenario of OLDER_STYLE_SCENARIOS) {
      const words = ['server', '--url', target.url, '--scenario', scenario];
      const run = await runToEnd(node, [suites['suite-0.1'], ...words]);
      exit ||= run.exit;
      scores.push({ scenario, ...score(run.output) });
    }
  } finally {
    await target.stop();
  }
  const sum = (key) => scores.reduce((total, one) => total + one[key], 0);
  const failing = scores.filter(({ passed, failed }) => passed === 0 || failed > 0).map(({ scenario }) => scenario);
  const row = report(name, failing.length > 0 ? exit || 1 : exit, {
    passed: sum('passed'),
    failed: sum('failed'),
    failing,
  });
  return [row];
}

async function runClientLegs(tools) {
  const results = [];
  const turns = mkdtempSync(join(tmpdir(), 'portolan-turns-'));
  process.once('exit', () => rmSync(turns, { recursive: true, force: true }));
  Object.assign(process.env, { CONFORMANCE_TURNS: turns, CONFORMANCE_PLACES: String(availableParallelism()) });
  for (const { name, suite, words } of CLIENT_LEGS) {
    const whole = `client: ${name}`;
    if (whole.includes(flags.only)) results.push(await runLeg(tools, whole, suite, [...CLIENT, ...words]));
  }
  return results;
}

/** The inspector rejects schemas that some clients cannot read. */
async function runInspector({ node, inspector }) {
  const { env, cwd } = makeHome({ fixture: { command: process.execPath, args: [FIXTURE] } });
  const results = [];
  for (const words of [['serve'], ['serve', '--expose', 'fixture']]) {
    const name = `inspector: tools/list --strict, ${words.join(' ')}`;
    if (!name.includes(flags.only)) continue;
    const args = [inspector, '--cli', process.execPath, PROGRAM, ...words, '--method', 'tools/list', '--strict'];
    const { output, exit } = await runToEnd(node, args, { env, cwd });
    const passed = [...output.matchAll(/^ {6}"name":/gm)].length;
    results.push(report(name, exit, { passed, failed: 0 }));
  }
  return results;
}

let tools;
try {
  tools = prepareTools();
} catch (error) {
  say(`skipped: ${error.message}`);
  process.exit(flags.required ? 1 : 0);
}
const results = [];
try {
  if (flags.direct)
    results.push(...(await runServerLegs(tools, 'direct')), ...(await runOlderStyleLeg(tools, 'direct')));
  else {
    for (const target of ['over stdio', 'over HTTP'])
      results.push(...(await runServerLegs(tools, target)), ...(await runOlderStyleLeg(tools, target)));
    results.push(...(await runClientLegs(tools)), ...(await runInspector(tools)));
  }
} catch (error) {
  say(`FAILED  ${error.message}`);
  process.exitCode = 1;
}
const good = results.filter(({ isGood }) => isGood).length;
say(`\n${good} of ${results.length} runs passed`);
if (good < results.length || results.length === 0) process.exitCode = 1;
