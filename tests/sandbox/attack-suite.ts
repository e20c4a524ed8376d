import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, expect, it } from 'vitest';
import {
  DEFAULT_LIMITS,
  type EngineName,
  type HostCall,
  type Limits,
  type Outcome,
  type Sandbox,
} from '../../src/sandbox/index.js';
import { ATTACKS, type Attack, endsAs, withPrelude } from './attacks.js';
import { type Canaries, setUpCanaries } from './canaries.js';
import { describeEngines, open, tidy } from './installed-engines.js';
import { SERVERS, shopTools } from './shop-servers.js';

const canaries: Canaries = await setUpCanaries();
afterAll(async () => {
  await canaries[Symbol.asyncDispose]();
  tidy();
});

const LIMITS: Limits = {
  ...DEFAULT_LIMITS,
  memoryBytes: 128 * 1024 * 1024,
  outputBytes: 16 * 1024,
  hostCalls: 200,
  hostCallBytes: 1024 * 1024,
  folderBytes: 16 * 1024 * 1024,
};
/** Timeouts for attacks that never end, and for attacks that end on a busy machine. */
const ENDLESS_MS = 1_500;
const FINITE_MS = 60_000;
const TEST_MS = 180_000;
/** The mark of truncated output is added to the limit. */
const MARK_CHARACTERS = 64;
const REACHABLE = new Set(SERVERS.flatMap(({ name, tools }) => tools.map((tool) => `${name}/${tool.name}`)));
/** The limit for the event loop delay. Far above measured values, because test machines are busy. */
const MAX_P99_MS = 150;

/** Runs all attacks in each engine. */
export async function attackSuite(engines: readonly EngineName[]): Promise<void> {
  await describeEngines(engines, (engine) => `attacks in ${engine}`, inEngine);
}

function inEngine(engine: string): void {
  const sandbox = open(engine);
  const otherSession = new OtherSession(sandbox);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  afterAll(() => sandbox[Symbol.asyncDispose]());

  const runAttack = async (attack: Attack) => {
    const { outcome, requests } = await outcomeOf(sandbox, engine, attack);
    const endings = attack.endings(engine);
    expect.soft(endings.some((ending) => endsAs(outcome, ending)) ? endings : brief(outcome)).toEqual(endings);
    expect.soft(canaries.touched()).toEqual([]);
    expect.soft(JSON.stringify(outcome).includes(canaries.secret)).toBe(false);
    expect.soft(requests.filter((request) => !REACHABLE.has(request))).toEqual([]);
    expect.soft(sizeViolations(outcome)).toEqual([]);
    expect.soft(await otherSession.step()).toEqual(otherSession.expected);
  };
  const isBomb = ({ group }: Attack) => group === '6-bombs';
  const [bombs, others] = [ATTACKS.filter(isBomb), ATTACKS.filter((attack) => !isBomb(attack))];
  it.each(others)('$title', { timeout: TEST_MS }, runAttack);
  it.each(bombs)('$title', { tags: 'S16', timeout: TEST_MS }, runAttack);

  it('do not block the event loop of the host', () => {
    delay.disable();
    expect(delay.percentile(99) / 1e6).toBeLessThan(MAX_P99_MS);
  });
}

async function outcomeOf(
  sandbox: Sandbox,
  engine: string,
  attack: Attack,
): Promise<{ readonly outcome: Outcome; readonly requests: readonly string[] }> {
  const { file, port, unix } = canaries;
  const code = withPrelude(attack.code, { engine, file, port, unix, pid: process.pid, calls: LIMITS.hostCalls });
  const timeoutMs = attack.endings(engine).includes('stopped timeoutMs') ? ENDLESS_MS : FINITE_MS;
  const requests: string[] = [];
  const answer = shopTools();
  const call = (request: HostCall, signal: AbortSignal) => {
    if (request.kind === 'tool') requests.push(`${request.server}/${request.tool}`);
    return answer(request, signal);
  };
  const job = { code, servers: SERVERS };
  const outcome = await sandbox.run(job, call, { ...LIMITS, timeoutMs }, new AbortController().signal);
  return { outcome, requests };
}

/** A session of another client, which attacks must not affect. */
class OtherSession {
  readonly #sandbox: Sandbox;
  #steps = 0;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  get expected(): unknown {
    return { kind: 'value', text: String(this.#steps), stdout: '' };
  }

  async step(): Promise<unknown> {
    this.#steps += 1;
    const code = this.#steps === 1 ? 'session_secret = n = 1\nn' : 'n += 1\nn';
    const limits = { ...LIMITS, timeoutMs: FINITE_MS };
    const job = { code, session: 'bystander', servers: [] };
    const outcome = await this.#sandbox.run(job, shopTools(), limits, new AbortController().signal);
    const { stdout } = outcome.output;
    return { kind: outcome.kind, text: outcome.kind === 'value' ? outcome.value?.text : undefined, stdout };
  }
}

function brief(outcome: Outcome): string {
  const { stdout, stderr } = outcome.output;
  const shown = [stdout, stderr].map((text) => text.slice(0, 300)).join(' / ');
  switch (outcome.kind) {
    case 'value':
      return `value ${outcome.value?.text.slice(0, 500)} ${shown}`;
    case 'threw':
      return `threw ${outcome.error.type} ${outcome.error.message.slice(0, 300)} line ${outcome.error.line} ${shown}`;
    case 'stopped':
      return `stopped ${outcome.limit} ${outcome.message} ${shown}`;
  }
}

function sizeViolations(outcome: Outcome): readonly string[] {
  const { stdout, stderr, files } = outcome.output;
  const texts = { stdout, stderr, value: outcome.kind === 'value' ? (outcome.value?.text ?? '') : '' };
  const long = Object.entries(texts).filter(([, text]) => text.length > LIMITS.outputBytes + MARK_CHARACTERS);
  const content = files.map(({ text = '', base64 = '' }) => text.length + base64.length);
  const isLarge = content.reduce((sum, size) => sum + size, 0) > 2 * LIMITS.fileBytes;
  const outside = files.filter(({ path }) => path.startsWith('/') || path.includes('..')).map(({ path }) => path);
  return [...long.map(([name]) => name), ...(isLarge ? ['files'] : []), ...outside];
}
