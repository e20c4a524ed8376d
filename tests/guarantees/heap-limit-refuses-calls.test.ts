import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { codeOf, odd, textOf, watchedGateway } from '../support/gateway-harness.js';

const top = mkdtempSync(join(tmpdir(), 'portolan-g12-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** Fills the heap in steps and tries to enter the call gate after each; then frees it and tries again. */
const PROGRAM = (gate: string) => `
  import { getHeapStatistics } from 'node:v8';
  import { CallGate } from ${JSON.stringify(gate)};
  const most = { maxArgumentBytes: 1e6, maxDepth: 9, inFlightPerClient: 9, inFlightPerServer: 9, queue: 9, ratePerMinute: 1e9 };
  const gate = new CallGate(() => most);
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const call = async () => {
    await pause(110);
    try {
      using turn = await gate.enter({ client: 'c', server: 's' });
      return 'in';
    } catch (error) {
      return { name: error.name, code: error.code, hint: error.hint };
    }
  };
  const outcomes = [await call()];
  let held = [];
  while (outcomes.at(-1) === 'in' && held.length < 1000) {
    held.push(Array.from({ length: 100_000 }, (_, k) => k + 0.5));
    outcomes.push(await call());
  }
  const refused = outcomes.at(-1);
  const heldMb = getHeapStatistics().used_heap_size / 2 ** 20;
  held = [];
  globalThis.gc();
  const after = await call();
  console.log(JSON.stringify({ first: outcomes[0], refused, heldMb, after }));
`;

describe('near the heap limit', { tags: 'G12' }, () => {
  it('the call gate refuses new calls with a typed error, and accepts them again after memory is freed', async () => {
    const program = join(top, 'full.mjs');
    const gate = join(import.meta.dirname, '../../src/gateway/limits/call-gate.ts');
    const stdin = { contents: PROGRAM(gate), resolveDir: top };
    const options = { bundle: true, platform: 'node', format: 'esm', target: 'node20.19', logLevel: 'error' } as const;
    await build({ ...options, stdin, outfile: program });
    const child = spawn(process.execPath, ['--max-old-space-size=64', '--expose-gc', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect({ code, ...JSON.parse(output) }).toEqual({
      code: 0,
      first: 'in',
      refused: { name: 'PortolanError', code: 'LIMIT_EXCEEDED', hint: expect.stringContaining('try again') },
      heldMb: expect.any(Number),
      after: 'in',
    });
    // It refuses close to the limit: the process would have died at 64 MB.
    expect(JSON.parse(output).heldMb).toBeGreaterThan(50);
  });

  it('the shipped program refuses new calls, still answers pings, and accepts calls again', async () => {
    const filler = pathToFileURL(join(import.meta.dirname, '../fixtures/servers/heap-filler.mjs')).href;
    const flags = ['--max-old-space-size=256', '--expose-gc', '--import', filler];
    await using gateway = watchedGateway({ odd: odd() }, {}, [], flags);
    const { client } = gateway;
    const sendMessage = async (message: string) => {
      const { process: child } = gateway;
      const answer = once(child, 'message');
      child.send(message);
      const [received] = await Promise.race([answer, once(child, 'exit').then(() => ['the gateway exited'])]);
      return received;
    };
    const echo = (n: number) => client.execute('odd', 'echo', { n });
    expect(textOf(await echo(1))).toBe('{"n":1}');
    expect(await sendMessage('fill')).toBe('filled');
    // The program checks the heap ten times a second.
    await expect.poll(async () => codeOf(await echo(2))).toBe('LIMIT_EXCEEDED');
    const pings = await Promise.all(Array.from({ length: 100 }, () => client.request('ping')));
    expect(pings.map(({ result }) => result)).toEqual(pings.map(() => ({})));
    const shed = await Promise.all(Array.from({ length: 100 }, (_, n) => echo(n)));
    expect(new Set(shed.map(codeOf))).toEqual(new Set(['LIMIT_EXCEEDED']));
    expect(await sendMessage('empty')).toBe('emptied');
    await expect.poll(async () => textOf(await echo(3))).toBe('{"n":3}');
    expect(gateway.process.exitCode).toBe(null);
  });
});
