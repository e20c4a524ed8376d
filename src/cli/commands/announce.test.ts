import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleInto } from '../../../tests/fixtures/registry/start-worker.js';
import { makeMachine } from '../../../tests/support/machine.js';
import { ServerRegistry } from '../../registry/index.js';
import { registryPath } from './ps.js';

const top = mkdtempSync(join(tmpdir(), 'portolan-announce-'));
let program = '';
beforeAll(async () => {
  program = await bundleInto(top, 'announcer');
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const ENDINGS: readonly {
  title: string;
  stdin: 'pipe' | 'ignore';
  end: (child: ChildProcess) => void;
  code: unknown;
}[] = [
  { title: 'its stdin ends', stdin: 'pipe', end: (child) => void child.stdin?.end(), code: [0, null] },
  { title: 'it receives SIGTERM', stdin: 'pipe', end: (child) => void child.kill('SIGTERM'), code: [0, null] },
  {
    title: 'a service without stdin receives SIGTERM',
    stdin: 'ignore',
    end: (child) => void child.kill('SIGTERM'),
    code: [0, null],
  },
  { title: 'it is killed', stdin: 'pipe', end: (child) => void child.kill('SIGKILL'), code: [null, 'SIGKILL'] },
];

describe.skipIf(process.platform === 'win32')('a process that announces a server', () => {
  it.each(ENDINGS)('keeps the entry until $title', async ({ stdin, end, code }) => {
    using machine = makeMachine();
    const args = [machine.project, machine.home, '--name', 'x', '--url', 'http://localhost:9/'];
    const child = spawn(process.execPath, [program, ...args], { stdio: [stdin, 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    const registry = new ServerRegistry(registryPath(machine.options(), false));
    await once(child.stdout ?? expect.unreachable('it has a stdout'), 'data');
    await pause(300); // the entry does not go away by itself
    expect(await registry.listServers()).toMatchObject([{ id: `x_${child.pid}`, pid: child.pid }]);
    end(child);
    expect([await exited, await registry.listServers()]).toEqual([code, []]);
  });
});
