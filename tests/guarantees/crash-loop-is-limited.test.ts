import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/index.js';
import { type AdmittedServer, admit } from '../../src/policy/index.js';
import { openServer, Pool, START_BUDGET, startGuardian } from '../../src/upstream/index.js';
import { definition } from '../fakes/definition.js';
import { codeOf, gatewayWith, ODD_SERVER, odd, textOf } from '../support/gateway-harness.js';
import { type Machine, makeMachine } from '../support/machine.js';

const IS_SOAK = process.env.PORTOLAN_SOAK === '1';
const CALLERS = 20;
const LOAD_MS = IS_SOAK ? 120_000 : 6_000;
const LEASES = IS_SOAK ? 5_000 : 300;

/** How often the server was started; it records each start in this file. */
const startsIn = (path: string): number =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).length : 0;

function crashing(words: readonly string[]): AdmittedServer {
  const entry = definition({ name: 'odd', command: process.execPath, args: [ODD_SERVER, ...words] });
  const admitted = admit('odd', entry, { kind: 'allowed' });
  if (!admitted) throw new Error('not admitted');
  return admitted;
}

/** Starts real processes without backoff, so that only the budget limits them. */
function impatientPool(machine: Machine) {
  const guardian = startGuardian({ folder: join(machine.home, 'children'), onProblem: () => undefined });
  const pool = new Pool({
    open: (server, events, signal) =>
      openServer(
        server,
        {
          platform: process.platform,
          env: {},
          home: machine.home,
          cwd: machine.project,
          passEnv: [],
          checkFiles: () => ({}),
          guardian,
          limits: () => ({ maxLineBytes: 1_000_000, maxDepth: 64 }),
          client: { name: 'portolan', version: '1' },
          startLimit: () => ({ ms: 20_000, hint: '' }),
          eraOf: () => 'legacy',
          roots: async () => ({ roots: [] }),
          logFolder: join(machine.home, 'logs'),
          log: silentLog,
        },
        events,
        signal,
      ),
    idleMs: () => 60_000,
    log: silentLog,
    onNotification: () => undefined,
    random: () => 0,
  });
  return {
    pool,
    [Symbol.asyncDispose]: async () => {
      await pool[Symbol.asyncDispose]();
      await guardian[Symbol.asyncDispose]();
    },
  };
}

describe('a crash loop', { tags: 'G11' }, () => {
  it.each(['crash', 'crash-after'])(`(%s) has exactly ${START_BUDGET} starts`, async (manner) => {
    using machine = makeMachine();
    await using impatient = impatientPool(machine);
    const starts = join(machine.home, 'starts');
    const server = crashing([manner, '--starts', starts]);
    const outcomes: string[] = [];
    for (let n = 0; n < LEASES; n += 1) {
      const lease = await impatient.pool.lease(server).catch((error: Error) => error.message);
      outcomes.push(typeof lease === 'string' ? lease : 'open');
      if (typeof lease === 'string') continue;
      // Wait for the crash: the next call is the next start.
      await expect
        .poll(() => impatient.pool.status(server).state, { timeout: 20_000, interval: 5 })
        .toBe('disconnected');
      lease[Symbol.dispose]();
    }
    expect(startsIn(starts)).toBe(START_BUDGET);
    const refused = outcomes.filter((outcome) => outcome.includes('it was started too often'));
    expect(refused).toHaveLength(LEASES - START_BUDGET);
  });

  it(
    `is limited with ${CALLERS} callers for ${LOAD_MS / 1_000} s, and does not affect another server`,
    async () => {
      using machine = makeMachine();
      const starts = join(machine.home, 'starts');
      await using home = await gatewayWith({ broken: odd(['crash', '--starts', starts]), other: odd() });
      const client = home.connect();
      const codes = new Set<unknown>();
      const others: string[] = [];
      const ends = performance.now() + LOAD_MS;
      const caller = async (n: number) => {
        while (performance.now() < ends) {
          codes.add(codeOf(await client.execute('broken', 'echo')));
          others.push(textOf(await client.execute('other', 'echo', { n })));
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, (_, n) => caller(n)));
      expect(startsIn(starts)).toBeGreaterThan(1);
      expect(startsIn(starts)).toBeLessThanOrEqual(START_BUDGET);
      expect([...codes]).toEqual(['CONNECTION_ERROR']);
      expect(others.filter((text) => !/^\{"n":\d+\}$/.test(text))).toEqual([]);
      expect(others.length).toBeGreaterThan(CALLERS);
    },
    LOAD_MS + 60_000,
  );
});
