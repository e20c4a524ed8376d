import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { FloodReport } from '../fixtures/children/flooded-gateway.js';
import { bundled, FIXTURES } from '../fixtures/children/start-gateway.js';
import { odd, textOf, watchedGateway } from '../support/gateway-harness.js';

const MEGABYTE = 1024 * 1024;
const MEGABYTES = process.env.PORTOLAN_SOAK === '1' ? 6_000 : 500;
const PER_SECOND = 100;
/** The guarantee is for an idle machine; other tests may run at the same time. */
const SLACK = 10;
/** Longer than the large flood. */
const AT_ONCE_MEGABYTES = 500;
/** Node allocates about 40 MB before a collection; a fifth of the flood would exceed this limit. */
const MAX_GROWTH_BYTES = 96 * MEGABYTE;
const KEPT_BYTES = 64 * 1024;
const LINE_BYTES = 128;
const RUN_LIMIT_MS = 10 * 60 * 1000;

it(`keeps its memory bounded while a server writes ${PER_SECOND} MB/s to stderr, and still gets its responses`, {
  tags: 'G4',
  timeout: RUN_LIMIT_MS,
}, async () => {
  const program = await bundled('flooded-gateway');
  const folder = await mkdtemp(join(tmpdir(), 'portolan-flood-'));
  try {
    const args = [program, folder, join(FIXTURES, 'flood.mjs'), String(MEGABYTES), String(PER_SECOND)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: RUN_LIMIT_MS });
    const report: FloodReport = JSON.parse(stdout);
    const { ms, peakGrowthBytes, slowestAnswerMs, answers } = report;
    const figures = [
      `${(MEGABYTES / (ms / 1000)).toFixed(0)} MB/s for ${(ms / 1000).toFixed(1)} s`,
      `memory grew by ${(peakGrowthBytes / MEGABYTE).toFixed(1)} MB at most`,
      `${answers} answers, the slowest after ${slowestAnswerMs.toFixed(0)} ms`,
    ];
    // biome-ignore lint/suspicious/noConsole: the log shows the measured figures.
    console.log(`G4: ${figures.join('; ')}`);
    // Every byte was read. The tail has the last 64 KB without the first, incomplete line.
    expect(report).toMatchObject({
      shownCharacters: KEPT_BYTES - LINE_BYTES,
      bytes: MEGABYTES * MEGABYTE - LINE_BYTES,
    });
    expect(peakGrowthBytes).toBeLessThan(MAX_GROWTH_BYTES);
    expect(answers).toBeGreaterThan(10);
    expect(MEGABYTES / (ms / 1_000)).toBeGreaterThan(PER_SECOND / SLACK);
  } finally {
    await rm(dirname(program), { recursive: true });
    await rm(folder, { recursive: true });
  }
});

it(`the shipped program keeps its memory bounded while a server writes ${PER_SECOND} MB/s to stderr, and answers calls to it and to others`, {
  tags: 'G4',
  timeout: RUN_LIMIT_MS,
}, async () => {
  await using gateway = watchedGateway({ flooding: odd(), other: odd(['other']) });
  const { client } = gateway;
  const echoes = (n: number) =>
    Promise.all(['flooding', 'other'].map(async (server) => textOf(await client.execute(server, 'echo', { n }))));
  await echoes(0);
  const before = await gateway.figures('reset');
  let [ms, answers, isOver] = [0, 0, false];
  const given = { megabytes: AT_ONCE_MEGABYTES, perSecond: PER_SECOND };
  const flood = async () => {
    for (let megabytes = 0; megabytes < MEGABYTES; megabytes += AT_ONCE_MEGABYTES)
      ms += Number(textOf(await client.execute('flooding', 'flood', given)));
    isOver = true;
  };
  const talk = async () => {
    for (let n = 1; !isOver; n += 1) {
      expect(await echoes(n)).toEqual([`{"n":${n}}`, `{"n":${n}}`]);
      answers += 1;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await Promise.all([flood(), talk()]);
  const { maxRssBytes, stallMs } = await gateway.figures('read');
  const grownBytes = maxRssBytes - before.maxRssBytes;
  const figures = [
    `${(MEGABYTES / (ms / 1_000)).toFixed(0)} MB/s for ${(ms / 1_000).toFixed(1)} s`,
    `memory grew by ${(grownBytes / MEGABYTE).toFixed(1)} MB at most`,
    `${answers} answers of each server, stall at most ${stallMs.toFixed(0)} ms`,
  ];
  // biome-ignore lint/suspicious/noConsole: the log shows the measured figures.
  console.log(`G4, shipped: ${figures.join('; ')}`);
  expect(MEGABYTES / (ms / 1_000)).toBeGreaterThan(PER_SECOND / SLACK);
  expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES);
  expect(answers).toBeGreaterThan(10);
});
