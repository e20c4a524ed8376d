import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import { ODD_SERVER } from '../../tests/support/gateway-harness.js';
import { ErrorCode, type PortolanError } from '../base/index.js';
import type { Definition } from '../model/index.js';
import { type AdmittedServer, admit } from '../policy/index.js';
import { type OpenContext, openServer } from './open-server.js';
import { type Guardian, startGuardian } from './process/guardian.js';
import { readServerLog } from './process/server-log.js';

const MAX_BYTES = 100_000;
const OPTIONS = { timeoutMs: 20_000, totalMs: 20_000 };
const NEVER = new AbortController().signal;

let folder = '';
let guardian: Guardian | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-open-'));
  guardian = startGuardian({ folder: join(folder, 'children'), onProblem: () => undefined });
});
afterAll(async () => {
  await guardian?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function server(words: readonly string[], said: Partial<Definition> = {}): AdmittedServer {
  const entry = definition({ name: 'odd', command: process.execPath, args: [ODD_SERVER, ...words], ...said });
  const admitted = admit('odd', entry, { kind: 'allowed' });
  if (!admitted) throw new Error('not admitted');
  return admitted;
}

function context(more: Partial<OpenContext> = {}): OpenContext {
  if (!guardian) throw new Error('there is no guardian');
  return {
    platform: process.platform,
    env: { PATH: process.env.PATH },
    home: folder,
    cwd: folder,
    passEnv: [],
    checkFiles: () => ({}),
    guardian,
    limits: () => ({ maxLineBytes: MAX_BYTES, maxDepth: 64 }),
    client: { name: 'portolan', version: '1' },
    startLimit: () => ({ ms: 20_000, hint: 'raise it' }),
    eraOf: () => 'legacy',
    roots: async () => ({ roots: [] }),
    logFolder: join(folder, 'logs'),
    log: () => undefined,
    ...more,
  };
}

const failureOf = (promise: Promise<unknown>): Promise<PortolanError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  );

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function opened(one: AdmittedServer, more: Partial<OpenContext> = {}) {
  const closings: (string | undefined)[] = [];
  const events = {
    onNotification: () => undefined,
    onClose: (reason: string | undefined) => void closings.push(reason),
  };
  const open = await openServer(one, context(more), events, NEVER);
  return { open, closings };
}

describe('openServer', () => {
  it('starts a server, calls it and stops it', async () => {
    const { open, closings } = await opened(server([]));
    expect(open.connection.handshake).toMatchObject({ name: 'odd', version: '1', protocolVersion: '2025-11-25' });
    const { value } = await open.connection.callTool('echo', { a: 1 }, OPTIONS);
    expect(value).toEqual({ content: [{ type: 'text', text: '{"a":1}' }] });
    await open.close('enough');
    expect(closings).toEqual(['enough']);
    expect(isAlive(open.pid ?? 0)).toBe(false);
  });

  it('reports the exit code and the stderr of a server that exits at once', async () => {
    const closings: unknown[] = [];
    const listener = { onNotification: () => undefined, onClose: (reason: unknown) => closings.push(reason) };
    const failure = await failureOf(openServer(server(['crash']), context(), listener, NEVER));
    expect(failure).toMatchObject({
      code: ErrorCode.ConnectionError,
      message: 'odd did not start: it exited with code 3; last output on stderr: cannot find my heart',
      hint: 'see its output with `portolan logs odd`',
    });
    expect(closings).toHaveLength(1);
  });

  it('reports the first error line of a crash without its stack, and shows the path in a variable', async () => {
    const path = '/home/me/.kube/prod-cluster-2024-eu-west-1.yaml';
    const code = 'function load() { require("node:fs").readFileSync(process.env.KUBECONFIG) } load()';
    const entry = definition({ command: process.execPath, args: ['-e', code], env: { KUBECONFIG: path } });
    const crashing = admit('odd', entry, { kind: 'allowed' });
    if (!crashing) throw new Error('not admitted');
    expect(await failureOf(opened(crashing))).toMatchObject({
      message: `odd did not start: it exited with code 1; last output on stderr: Error: ENOENT: no such file or directory, open '${path}'`,
    });
  });

  it('quotes a name with spaces, so that the command can be pasted', async () => {
    const spaced = admit('My Server', server(['crash']).definition, { kind: 'allowed' });
    if (!spaced) throw new Error('not admitted');
    expect(await failureOf(opened(spaced))).toMatchObject({
      message: expect.stringContaining('My Server did not start'),
      hint: "see its output with `portolan logs 'My Server'`",
    });
  });

  it('reports the stderr of a server that exits during a call', async () => {
    const { open } = await opened(server([]));
    expect(await failureOf(open.connection.callTool('die', {}, OPTIONS))).toMatchObject({
      code: ErrorCode.ConnectionError,
      message: 'it exited with code 7; last output on stderr: that was too much',
      hint: 'see its output with `portolan logs odd`',
    });
  });

  it('gives no hint to the log of a server that was closed by us', async () => {
    const { open } = await opened(server([]));
    const failure = failureOf(open.connection.callTool('mute', {}, OPTIONS));
    await open.close('enough');
    expect(await failure).toMatchObject({ code: ErrorCode.ConnectionError, message: 'enough', hint: undefined });
  });

  it('ends a server whose handshake times out', async () => {
    const starts = join(folder, 'silent-starts');
    const silent = server(['silent', '--starts', starts]);
    const startLimit = () => ({ ms: 500, hint: 'raise the limit' });
    const failure = await failureOf(opened(silent, { startLimit }));
    expect(failure).toMatchObject({
      code: ErrorCode.ConnectionError,
      message: 'odd did not start: no answer to initialize within 0.5 s',
      hint: 'see its output with `portolan logs odd`, or raise the limit',
    });
    await expect.poll(() => isAlive(Number(readFileSync(starts, 'utf8')))).toBe(false);
  });

  it('reports the stderr of a server whose handshake times out', async () => {
    const late = server([], { args: ['-e', 'console.error("I wait for a database"); setInterval(() => {}, 1e6)'] });
    const startLimit = () => ({ ms: 1_000, hint: 'raise the limit' });
    expect(await failureOf(opened(late, { startLimit }))).toMatchObject({
      code: ErrorCode.ConnectionError,
      message: 'odd did not start: no answer to initialize within 1 s; last output on stderr: I wait for a database',
      hint: 'see its output with `portolan logs odd`, or raise the limit',
    });
  });

  it('gives no hint to a log for a remote server', async () => {
    const { command: _, args: __, ...entry } = server([]).definition;
    const url = 'http://127.0.0.1:9/mcp';
    const remote = admit('odd', { ...entry, transport: 'http', url }, { kind: 'allowed' });
    if (!remote) throw new Error('not admitted');
    expect(await failureOf(opened(remote))).toMatchObject({
      code: ErrorCode.ConnectionError,
      message: expect.stringContaining('could not be reached'),
      hint: 'check that it runs and that this machine can reach it; `portolan why odd` shows its address',
    });
  });

  it('aborts a start when the signal aborts', async () => {
    const controller = new AbortController();
    const opening = openServer(
      server(['silent']),
      context(),
      { onNotification: () => undefined, onClose: () => undefined },
      controller.signal,
    );
    setTimeout(() => controller.abort(), 50);
    expect(await failureOf(opening)).toMatchObject({ code: ErrorCode.Cancelled });
  });

  it('reports a missing program without its arguments', async () => {
    const absent = server(['--token', 'hunter22'], { command: '/nowhere/at-all' });
    const failure = await failureOf(opened(absent));
    expect(failure).toMatchObject({ code: ErrorCode.ConnectionError, message: expect.stringContaining('ENOENT') });
    expect(failure.message).not.toContain('hunter22');
  });

  it('masks every value of the entry and the envFile in stderr', async () => {
    writeFileSync(join(folder, 'secrets.env'), 'FROM_FILE=from-the-file\n');
    const talker = server(['-e'], {
      args: [
        '-e',
        'process.stderr.write(`${process.env.FROM_ENTRY} ${process.env.FROM_FILE}\\n`, () => process.exit(1))',
      ],
      env: { FROM_ENTRY: 'from-the-entry' },
      envFile: 'secrets.env',
    });
    const { message } = await failureOf(opened(talker));
    expect(message).toBe('odd did not start: it exited with code 1; last output on stderr: [secret] [secret]');
    // The log is written before the error, which refers to it.
    expect(readServerLog(join(folder, 'logs'), 'odd')).toEqual({ kind: 'read', text: '[secret] [secret]\n' });
  });

  it('masks them also in the error of a call', async () => {
    writeFileSync(join(folder, 'more.env'), 'SAID=I would rather\n');
    const { open } = await opened(server([], { envFile: 'more.env' }));
    const failure = await failureOf(open.connection.callTool('fail', {}, OPTIONS));
    expect(failure).toMatchObject({ code: ErrorCode.ToolExecutionError, message: '[secret] not' });
    await open.close();
  });

  it.each([
    {
      title: 'a missing envFile',
      said: { envFile: 'absent.env' },
      message: 'its envFile does not exist',
    },
    { title: 'no command', said: { command: undefined }, message: 'its entry has no command' },
    { title: 'no address', said: { transport: 'http' as const, command: undefined }, message: 'its entry has no url' },
    {
      title: 'a working folder that does not exist',
      said: { cwd: '/nowhere/at-all' },
      message: 'its working directory does not exist or is not a directory',
    },
  ])('refuses an entry with $title', async ({ said, message }) => {
    const { command, ...entry } = server([]).definition;
    const whole = 'command' in said || command === undefined ? entry : { ...entry, command };
    const { command: _, ...changes } = { command: undefined, ...said };
    const admitted = admit('odd', { ...whole, ...changes }, { kind: 'allowed' });
    if (!admitted) throw new Error('not admitted');
    expect(await failureOf(opened(admitted))).toMatchObject({
      code: ErrorCode.ConnectionError,
      message: expect.stringContaining(message),
    });
  });

  it('logs invalid lines on stdout once, and their number at the end', async () => {
    const said: unknown[] = [];
    const { open } = await opened(server(['noisy']), {
      log: (level, message, facts) => said.push([level, message, facts]),
    });
    await open.connection.callTool('echo', {}, OPTIONS);
    await open.close();
    expect(said).toEqual([
      ['warn', 'skipped a line on stdout that is not a JSON-RPC message', { server: 'odd' }],
      ['info', 'lines on stdout that were not JSON-RPC messages', { server: 'odd', lines: 20 }],
    ]);
  });

  it('rejects a result over the limit and continues', async () => {
    const { open } = await opened(server([]));
    expect(await failureOf(open.connection.callTool('big', { bytes: MAX_BYTES }, OPTIONS))).toMatchObject({
      code: ErrorCode.ResultTooLarge,
    });
    expect((await open.connection.callTool('echo', {}, OPTIONS)).value).toMatchObject({ content: [{ text: '{}' }] });
    await open.close();
  });
});
