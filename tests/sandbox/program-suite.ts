import { afterAll, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type EngineName, type Outcome, type Sandbox } from '../../src/sandbox/index.js';
import { describeEngines, open } from './installed-engines.js';
import { PROGRAMS, type Program } from './programs.js';
import { SERVERS, shopTools } from './shop-servers.js';

/** A long timeout for busy machines. */
const LIMITS = { ...DEFAULT_LIMITS, timeoutMs: 60_000 };
const TEST_MS = 180_000;

/** An outcome in the format of the expectations. */
function actual(outcome: Outcome): Pick<Program, 'stdout' | 'value' | 'error'> {
  const { stdout } = outcome.output;
  if (outcome.kind === 'stopped') return { stdout, error: outcome.message };
  if (outcome.kind === 'value') return outcome.value ? { stdout, value: outcome.value.text } : { stdout };
  const { type, line, message } = outcome.error;
  return { stdout, error: `${type} line ${line}: ${message}` };
}

function expected({ stdout, value, error }: Program): Pick<Program, 'stdout' | 'value' | 'error'> {
  return { stdout, ...(value !== undefined && { value }), ...(error !== undefined && { error }) };
}

const run = (sandbox: Sandbox, { code }: Program, session?: string) =>
  sandbox.run(
    { code, servers: SERVERS, ...(session !== undefined && { session }) },
    shopTools(),
    LIMITS,
    new AbortController().signal,
  );

/** Runs all programs in each engine. */
export async function programSuite(engines: readonly EngineName[]): Promise<void> {
  await describeEngines(engines, (engine) => `programs in ${engine}`, inEngine);
}

function inEngine(name: string): void {
  const sandbox = open(name);
  afterAll(() => sandbox[Symbol.asyncDispose]());
  // A new interpreter for each program if it starts fast, else one for each file.
  const isCheap = name === 'bwrap';
  it.each(PROGRAMS)(
    '$title',
    async (program) => {
      const outcome = await run(sandbox, program, isCheap ? undefined : program.group);
      expect(actual(outcome)).toEqual(expected(program));
    },
    TEST_MS,
  );
}
