import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listed, marked } from '../fixtures/children/marked-processes.js';
import { pause, type RemainingProcesses, remainingAfter } from '../fixtures/children/remaining-processes.js';
import { bundled, FIXTURES, type RunningGateway, startGateway } from '../fixtures/children/start-gateway.js';

// packaged-program-leaves-no-orphans.test.ts tests the shipped program with the real `npx`.

const IS_SOAK = process.env.PORTOLAN_SOAK === '1';
const CYCLES = IS_SOAK ? 1_000 : 100;
const KILLS = IS_SOAK ? 100 : 20;
const CRASHES = KILLS;
/** A cycle mostly waits; more cycles at once would wait for the CPU. */
const AT_ONCE = 6;
const RECORD_LIMIT_MS = 20_000;

type End = 'stop' | 'crash' | 'kill' | 'kill while starting' | 'kill before telling';

const server = join(FIXTURES, 'server.mjs');
const wrapper = join(FIXTURES, 'wrapper.mjs');

/** A direct server, two in a shell and one in a wrapper. `mark` identifies all their processes. */
function serversFor(mark: string, manner: string) {
  const words = [mark, manner];
  const node = process.execPath;
  const inShell = `'${node}' '${server}' ${mark} background & '${node}' '${server}' ${words.join(' ')}`;
  return [
    { command: node, args: [server, ...words], ready: manner === 'detaches' ? 2 : 1 },
    { command: 'sh', args: ['-c', inShell], ready: manner === 'detaches' ? 3 : 2 },
    { command: node, args: [wrapper, node, server, ...words], ready: manner === 'detaches' ? 2 : 1 },
  ];
}

interface Cycle {
  readonly end: End;
  readonly manner: 'polite' | 'stubborn' | 'detaches';
  readonly graceMs?: number;
  readonly dieBeforeRegistering?: number;
}

const MANNERS = ['polite', 'stubborn', 'polite', 'stubborn', 'detaches'] as const;
/** The three servers and the detached process of each. */
const WATCHED_WHEN_DETACHED = 6;

function cycle(n: number): Cycle {
  const manner = MANNERS[n % MANNERS.length] ?? 'polite';
  if (n < KILLS && n % 4 === 0) return { end: 'kill while starting', manner: n % 8 === 0 ? 'polite' : 'stubborn' };
  // Only on Linux are processes found if the gateway is killed between their start and its record.
  if (n < KILLS && n % 4 === 2 && process.platform === 'linux')
    return { end: 'kill before telling', manner: 'stubborn', dieBeforeRegistering: (n >> 2) % 3 };
  if (n < KILLS) return { end: 'kill', manner };
  if (n < KILLS + CRASHES) return { end: 'crash', manner };
  // Every tenth uses the default grace period.
  return { end: 'stop', manner, ...(n % 10 !== 0 && { graceMs: 100 }) };
}

interface Outcome extends RemainingProcesses {
  readonly cycle: Cycle;
  readonly files: readonly string[];
  readonly seen: number;
}

async function runCycle(program: string, one: Cycle): Promise<Outcome> {
  const mark = `mark-${randomUUID()}`;
  const folder = await mkdtemp(join(tmpdir(), `${mark}-`));
  const { graceMs, dieBeforeRegistering } = one;
  const plan = {
    folder,
    pauseMs: 20,
    servers: serversFor(mark, one.manner),
    ...(dieBeforeRegistering !== undefined && { dieBeforeRegistering }),
    ...(graceMs !== undefined && { graceMs }),
  };
  const gateway = startGateway(program, plan);
  try {
    if (one.end === 'kill before telling') await gateway.exited;
    else if (one.end === 'kill while starting') await gateway.printed('started', 1 + Math.floor(Math.random() * 3));
    else await gateway.printed('ready');
    if (one.manner === 'detaches') await recorded(folder, WATCHED_WHEN_DETACHED);
    const seen = marked(await listed(), mark);
    const start = performance.now();
    await finish(gateway, one.end);
    const left = await remainingAfter(mark, seen, start);
    const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    return { cycle: one, ...left, files: one.end === 'stop' ? files : [], seen: seen.length };
  } finally {
    gateway.process.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until the gateway's record of processes has this many. */
async function recorded(folder: string, count: number): Promise<void> {
  const deadline = performance.now() + RECORD_LIMIT_MS;
  for (;;) {
    const [name] = (await readdir(folder)).filter((one) => one.endsWith('.json'));
    const text = name === undefined ? '' : await readFile(join(folder, name), 'utf8');
    // The gateway itself has an entry too.
    if (text.split('"pid"').length - 2 >= count) return;
    if (performance.now() > deadline)
      throw new Error(`the record of processes did not reach ${count} leaders: ${text}`);
    await pause();
  }
}

async function finish(gateway: RunningGateway, end: End): Promise<void> {
  if (end === 'stop' || end === 'crash') gateway.process.stdin.write(`${end}\n`);
  else gateway.process.kill('SIGKILL');
  const expected = end === 'stop' ? 0 : end === 'crash' ? 1 : 'SIGKILL';
  expect(await gateway.exited).toBe(expected);
}

describe.skipIf(process.platform === 'win32')('the processes of a gateway end with it', { tags: 'G10' }, () => {
  let program = '';
  const times = new Map<End, number[]>();
  beforeAll(async () => {
    program = await bundled('gateway');
  });
  afterAll(async () => {
    if (existsSync(program)) await rm(dirname(program), { recursive: true });
    const figures = [...times].map(
      ([end, all]) => `${end} ${all.length} times, at most ${Math.max(...all).toFixed(0)} ms`,
    );
    // biome-ignore lint/suspicious/noConsole: the log shows the measured figures.
    console.log(`G10, time until no process was left: ${figures.join('; ')}`);
  });

  it(
    `without an orphan or zombie in ${CYCLES} cycles with ${KILLS} kills, wrappers included`,
    async () => {
      const cycles = Array.from({ length: CYCLES }, (_, n) => cycle(n));
      const outcomes: Outcome[] = [];
      const work = cycles.values();
      const worker = async () => {
        for (const one of work) outcomes.push(await runCycle(program, one));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      for (const { cycle: one, ms } of outcomes) times.set(one.end, [...(times.get(one.end) ?? []), ms]);
      expect(outcomes).toHaveLength(CYCLES);
      expect(outcomes.filter(({ alive, zombies, files }) => alive.length + zombies.length + files.length > 0)).toEqual(
        [],
      );
      // A gateway, its guardian process and three process trees with six processes: the test can only fail if they existed.
      const isWhole = ({ end }: Cycle) => !['kill while starting', 'kill before telling'].includes(end);
      expect(outcomes.filter(({ cycle: one, seen }) => isWhole(one) && seen < 8)).toEqual([]);
      if (process.platform !== 'linux') return;
      expect(outcomes.filter(({ cycle: one, seen }) => one.end === 'kill before telling' && seen > 0)).not.toEqual([]);
    },
    CYCLES * 5_000,
  );
});
