import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAuditLog } from '../../audit/index.js';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { auditCommand } from './audit.js';

const home = mkdtempSync(join(tmpdir(), 'portolan-audit-'));
const folder = join(home, 'audit');
afterAll(() => rmSync(home, { recursive: true, force: true }));

beforeAll(async () => {
  let now = Date.UTC(2026, 0, 1);
  await using log = openAuditLog({ folder, warn: expect.unreachable, pid: 7, now: () => now++ });
  const call = { client: 'cursor', argumentsText: '{}', durationMs: 1.5, bytes: 20 };
  log.record({ ...call, server: 'github', tool: 'create_issue', outcome: 'ok' });
  log.record({ ...call, server: 'files', tool: 'read\u001b[31m', outcome: 'tool-error' });
});

const nobodyKnows = () => Promise.reject(new PortolanError(ErrorCode.SettingsInvalid, 'the settings are wrong'));

async function audit(args: readonly string[], at = folder): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const io = { out: (line: string) => lines.push(line), err: expect.unreachable, colour: false, home };
  const code = await auditCommand(() => at, nobodyKnows).run(args, io);
  return { code, lines: lines.map((line) => line.replaceAll(/7-[0-9a-f]{12}/g, '7-x')) };
}

describe('portolan audit', () => {
  it.each([[], ['--verify']])('reports a %j in place of its directory', async (...args) => {
    const at = join(home, 'no-folder');
    writeFileSync(at, 'x');
    await expect(audit(args, at)).rejects.toMatchObject({
      code: ErrorCode.WriteRefused,
      message: expect.stringMatching(/no-folder(?:\/key)? (?:cannot be read|is not)/),
    });
  });

  it('lists calls with the newest last, without control characters', async () => {
    expect(await audit([])).toEqual({
      code: 0,
      lines: [
        'TIME                      CLIENT  SERVER  TOOL          OUTCOME     MS  BYTES',
        '2026-01-01T00:00:00.000Z  cursor  github  create_issue  ok          2   20',
        '2026-01-01T00:00:00.001Z  cursor  files   read\\x1b[31m  tool-error  2   20',
      ],
    });
  });

  it.each([
    { title: 'of one server', args: ['--server', 'files'], tools: ['read\u001b[31m'] },
    { title: 'as many as wanted', args: ['--last', '1'], tools: ['read\u001b[31m'] },
    { title: 'all', args: [], tools: ['create_issue', 'read\u001b[31m'] },
  ])('prints calls $title as JSON', async ({ args, tools }) => {
    const { code, lines } = await audit(['--json', ...args]);
    const answer = JSON.parse(lines.join('\n'));
    expect([code, Object.keys(answer), answer.entries.map(({ tool }: { tool: string }) => tool)]).toEqual([
      0,
      ['entries'],
      tools,
    ]);
  });

  it('reports further calls that are not shown, and an empty log', async () => {
    expect((await audit(['--last', '1'])).lines.at(-1)).toBe('the last 1 of 2; --last N');
    expect(await audit([], join(home, 'none'))).toEqual({ code: 0, lines: ['No calls are recorded in ~/none.'] });
  });

  it.each(['0', '-1', 'x', '1.5', '9999999999'])('rejects --last=%s', async (last) => {
    await expect(audit([`--last=${last}`])).rejects.toMatchObject({ code: ErrorCode.Usage });
  });

  it('verifies the chains, and fails if one is broken', async () => {
    const whole = await audit(['--verify']);
    expect([whole.code, whole.lines.slice(-2)]).toEqual([0, ['7-x, 3 lines: ok', '1 chain verified']]);
    const file = readdirSync(folder).find((name) => name.endsWith('.jsonl')) ?? '';
    appendFileSync(join(folder, file), 'x\n');
    const broken = await audit(['--verify', '--json']);
    expect([broken.code, JSON.parse(broken.lines.join('\n')).chains[0].state]).toMatchObject([
      1,
      { kind: 'broken', because: 'line-changed', line: 4 },
    ]);
    const shown = await audit(['--verify']);
    expect([shown.code, shown.lines.slice(-2)]).toEqual([
      1,
      ['7-x, 3 lines: line-changed: the line was changed (20260101T000000002Z-7-x.jsonl:4)', '1 of 1 chain broken'],
    ]);
    expect((await audit([])).code).toBe(0);
  });

  it('reports no line if the file of a chain is missing', async () => {
    const at = join(home, 'gone');
    {
      await using log = openAuditLog({ folder: at, warn: expect.unreachable, pid: 7 });
      log.record({ client: 'c', server: 's', tool: 't', argumentsText: '{}', outcome: 'ok', durationMs: 1, bytes: 1 });
    }
    for (const name of readdirSync(at).filter((one) => one.endsWith('.jsonl'))) rmSync(join(at, name));
    const { code, lines } = await audit(['--verify'], at);
    expect([code, lines.slice(-2)]).toEqual([
      1,
      ['7-x, 2 lines: line-missing: its last 2 lines are missing', '1 of 1 chain broken'],
    ]);
  });
});
