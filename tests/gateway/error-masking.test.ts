import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configure, connect, portolan, type StdioClient } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

const LEAKING = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/servers/leaking-server.mjs');
const LETTERS = 'aB3xY7qLm0'.repeat(4);
const OWN = 'opaque-own-value';
const FOLDER = '/srv/data/reports';
/** A part of each token, to detect that it was shown. */
const LEAKS = ['ghp_aB3', 'sk-ant-', 'xoxb-', 'eyJ', LETTERS.slice(0, 12), OWN] as const;
const KEPT = ['/home/me/project/index.ts', '123e4567-e89b-12d3-a456-426614174000', '3fef16e80a1b'] as const;

const leaksIn = (text: string) => LEAKS.filter((leak) => text.includes(leak));

let machine: Machine;
let client: StdioClient;
const web = createServer((_, response) => {
  response.writeHead(500).end(`no: ghp_${LETTERS.slice(0, 36)} at ${KEPT[0]}`);
});

beforeAll(async () => {
  machine = makeMachine();
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { port } = web.address() as AddressInfo;
  const env = { OWN_API_KEY: OWN, FOLDER };
  configure(machine, {
    leaking: { command: process.execPath, args: [LEAKING], env },
    remote: { url: `http://127.0.0.1:${port}/mcp` },
  });
  client = await connect(machine, { env: { PORTOLAN_LOG: 'debug' } });
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  web.close();
  machine?.[Symbol.dispose]();
});

describe('an error of a server', () => {
  it.each(['reject', 'fail', 'die'])('reaches a client without tokens: %s', async (tool) => {
    const answer = JSON.stringify(await client.execute('leaking', tool));
    expect({ leaks: leaksIn(answer), kept: KEPT.filter((text) => answer.includes(text)) }).toEqual({
      leaks: [],
      kept: KEPT,
    });
    expect(answer).toContain('[secret]');
    expect(answer).toContain(FOLDER);
  });

  it('reaches a client without tokens if it is the body of an HTTP response', async () => {
    const answer = JSON.stringify(await client.execute('remote', 'any'));
    expect(leaksIn(answer)).toEqual([]);
    expect(answer).toContain(`no: [secret] at ${KEPT[0]}`);
  });

  it('is masked, but the result of a successful call is not', async () => {
    expect(leaksIn(JSON.stringify(await client.execute('leaking', 'answer')))).toEqual([...LEAKS]);
  });

  it('is stored without tokens in logs, the audit log and files', async () => {
    const logs = await portolan(machine, ['logs', 'leaking']);
    expect(logs.stdout).toContain(KEPT[0]);
    const audit = await portolan(machine, ['audit', '--json']);
    const files = readdirSync(machine.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('.cursor'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    expect(files.length).toBeGreaterThan(2);
    expect(leaksIn([logs.stdout, audit.stdout, client.stderr, ...files].join('\n'))).toEqual([]);
  });

  it('is printed without tokens by a command', async () => {
    const { stdout, stderr, status } = await portolan(machine, ['call', 'leaking', 'reject']);
    expect(status).not.toBe(0);
    expect(leaksIn(stdout + stderr)).toEqual([]);
    expect(stdout + stderr).toContain(KEPT[0]);
  });
});
