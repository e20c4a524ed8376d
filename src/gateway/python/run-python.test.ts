import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { serverWith } from '../../../tests/fakes/server.js';
import { ErrorCode, PortolanError } from '../../base/index.js';
import type { Conversation, Tool } from '../../model/index.js';
import type { Capability, Job, Limits, Outcome, Output, Sandbox, WrittenResult } from '../../sandbox/index.js';
import { DEFAULTS } from '../../settings/index.js';
import { type PythonEnvironment, type PythonGateway, type PythonRequest, runPython } from './run-python.js';

const stateFolder = mkdtempSync(join(tmpdir(), 'portolan-python-'));
afterAll(() => rmSync(stateFolder, { recursive: true, force: true }));

const tool = (name: string): Tool => ({ name, description: `does ${name}`, inputSchema: { type: 'object' } });
const OUTPUT: Output = {
  ...{ stdout: '', stderr: '', files: [], truncated: [], hostCalls: 0, durationMs: 1, stateLost: false },
  ...{ engine: 'bwrap', guarantees: ['walls'] },
};

/** A sandbox whose programs are functions of the capability. */
function sandboxOf(program: (call: Capability, job: Job, limits: Limits) => Promise<unknown>): Sandbox {
  const never = () => Promise.reject(new Error('unexpected call'));
  return {
    ...{ engine: never, probe: never, probes: never, warm: never, forget: never },
    run: async (job, call, limits): Promise<Outcome> => {
      const json = await program(call, job, limits);
      return { kind: 'value', value: { text: JSON.stringify(json), json }, output: OUTPUT };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

interface Executed {
  readonly server: string;
  readonly tool: string;
  readonly mayAsk: boolean;
  readonly via: string | undefined;
}

/** Three servers: one with known tools, one that has not been read yet, one that waits for approval. */
function gatewayOf(executed: Executed[] = []): PythonGateway {
  const admitted = {} as never;
  const servers = [
    { ...serverWith({ kind: 'allowed' }, 'known'), admitted },
    { ...serverWith({ kind: 'allowed' }, 'new'), admitted },
    serverWith({ kind: 'needs-approval', because: 'new' }, 'waiting'),
  ];
  return {
    view: { servers, settings: DEFAULTS },
    knownToolsOf: (name) =>
      name !== 'new' ? { enabled: [tool('get-item'), tool('import')], disabled: ['drop'] } : undefined,
    descriptionOf: (name) => `the ${name} one`,
    toolsOf: async () => [tool('far-off')],
    everyTool: async () => [],
    listServers: async () => ({ servers: [] }),
    searchTools: async () => ({ results: [] }),
    getToolDetails: async () => Promise.reject(new Error('unexpected call')),
    executeTool: async (server, name, _, { capabilities }, { via } = {}) => {
      executed.push({ server, tool: name, mayAsk: capabilities !== undefined, via });
      if (server === 'waiting') throw new PortolanError(ErrorCode.ServerNotApproved, 'it waits');
      if (name === 'far_off') throw new PortolanError(ErrorCode.ToolNotFound, 'no such tool');
      return { value: {}, json: '{"content":[],"structuredContent":{"n":12345678901234567890}}' };
    },
  };
}

const conversation: Conversation = {
  ...{ client: 'test', stateKey: 'client-1', capabilities: { elicitation: {} } },
  signal: new AbortController().signal,
};

function place(sandbox: Sandbox, told = new Set<string>()): PythonEnvironment {
  return {
    ...{ sandbox, stateFolder, project: '/project' },
    keyOf: (session) => `scope ${session}`,
    isFirst: (session) => !told.has(session) && told.add(session).has(session),
  };
}

const run = (
  program: Parameters<typeof sandboxOf>[0],
  request: Partial<PythonRequest> = {},
  { gateway = gatewayOf(), talk = conversation } = {},
) => runPython(gateway, place(sandboxOf(program)), { code: '1', ...request }, talk);

const call = (server: string, name: string) => ({ kind: 'tool', server, tool: name, arguments: {} }) as const;
const never = new AbortController().signal;

describe('runPython', () => {
  it('offers a program every admitted server if it names none', async () => {
    const { answer } = await run(async (_, { servers }) => servers);
    expect(answer.result).toEqual([
      {
        ...{ name: 'known', alias: 'known', description: 'the known one' },
        tools: [
          { name: 'get-item', alias: 'get_item', description: 'does get-item', input_schema: { type: 'object' } },
          { name: 'import', alias: 'import_', description: 'does import', input_schema: { type: 'object' } },
        ],
        refused: [{ name: 'drop', alias: 'drop' }],
      },
      { name: 'new', alias: 'new', description: 'the new one', tools: [], unlisted: true },
    ]);
  });

  it('offers a program each named server once, and only the name of an unapproved one', async () => {
    const { answer } = await run(async (_, { servers }) => servers, { servers: ['waiting', 'waiting'] });
    expect(answer.result).toEqual([{ name: 'waiting', alias: 'waiting', tools: [], unlisted: true }]);
    await expect(run(async () => 1, { servers: ['unknown'] })).rejects.toMatchObject({ code: 'SERVER_NOT_FOUND' });
    expect((await run(async (_, { servers }) => servers, { servers: [] })).answer.result).toEqual([]);
  });

  it('calls through the gateway, marks the call for the log, and passes results on unchanged', async () => {
    const executed: Executed[] = [];
    const program = async (ask: Capability) =>
      String(((await ask(call('known', 'get-item'), never)) as WrittenResult).bytes);
    const { answer } = await run(program, {}, { gateway: gatewayOf(executed) });
    expect(answer.result).toContain('"n":12345678901234567890');
    expect(executed).toEqual([{ server: 'known', tool: 'get-item', mayAsk: true, via: 'run_python' }]);
  });

  it('finds a tool by its alias if its server had not been read before', async () => {
    const executed: Executed[] = [];
    await run(async (ask) => String(await ask(call('new', 'far_off'), never)), {}, { gateway: gatewayOf(executed) });
    expect(executed.map(({ tool: name }) => name)).toEqual(['far_off', 'far-off']);
  });

  it('asks for approval of a server once in a run, even if it is called repeatedly', async () => {
    const executed: Executed[] = [];
    const program = async (ask: Capability) => {
      for (const _ of [1, 2, 3]) await ask(call('waiting', 'echo'), never).catch(() => undefined);
    };
    await run(program, { servers: ['waiting'] }, { gateway: gatewayOf(executed) });
    expect(executed.map(({ mayAsk }) => mayAsk)).toEqual([true, false, false]);
  });

  it.each([
    { title: 'its own', talk: conversation, request: {}, session: 'scope client-1' },
    { title: 'none if the client asks for none', talk: conversation, request: { session: false }, session: undefined },
    {
      title: 'none if clients cannot be told apart',
      talk: { client: 'test', signal: never },
      request: {},
      session: undefined,
    },
  ])('keeps state in a session that is $title', async ({ talk, request, session }) => {
    const { answer } = await run(async (_, job) => job.session ?? 'none', request, { talk });
    expect(answer.result).toBe(session ?? 'none');
  });

  it('reports once that the state was lost with an earlier gateway', async () => {
    const told = new Set<string>();
    const talk = { ...conversation, lostState: true };
    const again = () =>
      runPython(
        gatewayOf(),
        place(
          sandboxOf(async () => 1),
          told,
        ),
        { code: '1' },
        talk,
      );
    expect([(await again()).answer.stateLost, (await again()).answer.stateLost]).toEqual([true, undefined]);
  });

  it.each([
    { title: 'the default time', timeoutSeconds: undefined, timeoutMs: 30_000 },
    { title: 'the requested time', timeoutSeconds: 0.5, timeoutMs: 500 },
    { title: 'the maximum time', timeoutSeconds: 120, timeoutMs: 120_000 },
  ])('gives a program $title', async ({ timeoutSeconds, timeoutMs }) => {
    const request = timeoutSeconds === undefined ? {} : { timeoutSeconds };
    expect((await run(async (_, __, limits) => limits.timeoutMs, request)).answer.result).toBe(timeoutMs);
  });

  it.each([
    { title: 'more than the maximum time', request: { timeoutSeconds: 121 }, code: 'TOOL_VALIDATION_ERROR' },
    { title: 'too much code', request: { code: '#'.repeat(1024 * 1024 + 1) }, code: 'LIMIT_EXCEEDED' },
    {
      title: 'too many servers',
      request: { servers: Array.from({ length: 257 }, () => 'known') },
      code: 'LIMIT_EXCEEDED',
    },
  ])('refuses $title before anything runs', async ({ request, code }) => {
    await expect(run(() => Promise.reject(new Error('it ran')), request)).rejects.toMatchObject({ code });
  });
});
