import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { type AuditLog, openAuditLog, readAudit } from '../../../src/audit/index.js';

export const top = mkdtempSync(join(tmpdir(), 'portolan-s10-'));
const ORIGINAL = join(top, 'original');
export const EARLIER = join(top, 'earlier');
afterAll(() => rmSync(top, { recursive: true, force: true }));

export const CHAINS = ['a', 'b', 'c'] as const;
export type Name = (typeof CHAINS)[number];
const clock = { now: Date.UTC(2026, 0, 1) };

export function open(pid: number, folder = ORIGINAL): AuditLog {
  const warn = (message: string) => expect.unreachable(message);
  return openAuditLog({ folder, warn, pid, now: () => clock.now++, maxFileBytes: 10_000, isAlive: () => true });
}

export async function record(log: AuditLog, tool: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const call = { client: 'client', server: 'server', argumentsText: `{"n":${n}}`, outcome: 'ok' } as const;
    log.record({ ...call, tool: `${tool}${n}`, durationMs: 1, bytes: n });
    if (n % 50 === 49) await pause(60);
  }
}

/** Chains `a` and `b` have several files each; `c` starts after both ended. */
beforeAll(async () => {
  const [a, b] = [open(1), open(2)];
  await record(a, 'a', 60);
  for (let n = 0; n < 100 && (await readAudit(ORIGINAL)).total < 60; n += 1) await pause(50);
  cpSync(ORIGINAL, EARLIER, { recursive: true });
  await record(a, 'a', 150);
  await record(b, 'b', 150);
  for (const log of [a, b]) await log[Symbol.asyncDispose]();
  await using c = open(3);
  await record(c, 'c', 5);
});

/** A copy of the directory, with the changes that an attacker without the key can make. */
export class Copy implements Disposable {
  readonly folder = mkdtempSync(join(top, 'copy-'));

  constructor() {
    cpSync(ORIGINAL, this.folder, { recursive: true });
  }

  files(chain: Name, folder = this.folder): string[] {
    const mark = `-${CHAINS.indexOf(chain) + 1}-`;
    const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl') && name.includes(mark));
    return names.toSorted().map((name) => join(folder, name));
  }

  file(chain: Name, place = 0): string {
    return this.files(chain).at(place) ?? expect.unreachable('no such file');
  }

  head(chain: Name, folder = this.folder): string {
    const name = readdirSync(folder).find((one) => one.startsWith(`${CHAINS.indexOf(chain) + 1}-`));
    return join(folder, name ?? expect.unreachable('no such head'));
  }

  lines(path: string): string[] {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  }

  /** Rewrites the file with changed lines. */
  edit(path: string, change: (lines: string[]) => readonly string[]): void {
    writeFileSync(
      path,
      change(this.lines(path))
        .map((line) => `${line}\n`)
        .join(''),
    );
  }

  /** The broken chains by name, each with the reason. */
  async broken(): Promise<Partial<Record<Name, string>>> {
    const { chains } = await readAudit(this.folder);
    return Object.fromEntries(
      chains.flatMap(({ chain, state }) => {
        const name = CHAINS[Number(chain.split('-')[0]) - 1];
        return state.kind === 'broken' && name ? [[name, state.because]] : [];
      }),
    );
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
