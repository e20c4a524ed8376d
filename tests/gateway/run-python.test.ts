import { mkdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAudit } from '../../src/audit/index.js';
import { openGateway } from '../../src/index.js';
import { describeEngines, tidy } from '../sandbox/installed-engines.js';
import {
  type CallResult,
  configure,
  connect,
  fixture,
  installed,
  isAlive,
  portolan,
  type StdioClient,
  startsIn,
  until,
} from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

afterAll(tidy);

type Answer = Record<string, unknown> & { error?: Record<string, unknown> };

const answerOf = ({ structuredContent }: CallResult) => structuredContent as Answer;
const textOf = ({ content }: CallResult) => String(content[0]?.text);

await describeEngines(['bwrap', 'pyodide'], (engine) => `run_python in ${engine}`, inEngine);

function inEngine(engine: string): void {
  let machine: Machine;
  let client: StdioClient;
  let starts: string;
  const run = (code: string, more: Record<string, unknown> = {}) => client.call('run_python', { code, ...more });
  /** The result of a program that succeeded. */
  const resultOf = async (code: string, more?: Record<string, unknown>) => {
    const answer = answerOf(await run(code, more));
    if (answer.error) throw new Error(JSON.stringify(answer));
    return answer.result;
  };

  beforeAll(async () => {
    machine = makeMachine();
    starts = machine.path('~/starts');
    mkdirSync(machine.path('~/files'));
    configure(
      machine,
      {
        filesystem: installed('@modelcontextprotocol/server-filesystem', [machine.path('~/files')]),
        memory: installed('@modelcontextprotocol/server-memory', [], {
          env: { MEMORY_FILE_PATH: machine.path('~/memory.json') },
        }),
        own: fixture(),
        elsewhere: fixture(['--starts', starts]),
      },
      {
        sandbox: { engine, maxOutputBytes: 2_000 },
        toolRules: [{ pattern: ['exit'], enabled: false }],
        timeouts: { searchMs: 20_000 },
      },
    );
    machine.write({
      '<project>/.cursor/mcp.json': JSON.stringify({ mcpServers: { waiting: fixture(['--starts', `${starts}-2`]) } }),
    });
    client = await connect(machine);
    await client.ask('list_mcp_servers'); // reads the tools of every server before the first program
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    machine[Symbol.dispose]();
  });

  it('lists servers, searches docs, calls three tools in one program and keeps a variable for the next call', async () => {
    const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toContain('run_python');
    expect(await resultOf('import mcp.runtime as runtime\nruntime.discovered_servers()')).toEqual(
      expect.arrayContaining(['filesystem', 'memory', 'own', 'elsewhere']),
    );
    const detailed = 'servers = runtime.discovered_servers(detailed=True)\n[type(servers).__name__, list(servers)]';
    expect(await resultOf(detailed)).toEqual([
      'tuple',
      expect.arrayContaining([expect.objectContaining({ name: 'memory', in_reach: true, alias: 'memory' })]),
    ]);
    const found = 'runtime.search_tool_docs("create a new file with content", limit=3)';
    expect(await resultOf(found)).toContainEqual(
      expect.objectContaining({ server: 'filesystem', name: 'write_file', alias: 'write_file' }),
    );
    expect(await resultOf('runtime.query_tool_docs("memory", "create_entities", detail="full")')).toMatchObject({
      name: 'create_entities',
      description: expect.stringContaining('entities'),
      input_schema: { required: ['entities'] },
    });
    const path = machine.path('~/files/notes.txt');
    const composed = await run(
      `
import asyncio
await mcp_filesystem.write_file(path=${JSON.stringify(path)}, content="alpha\\nbeta\\n")
text = (await mcp_filesystem.read_text_file(path=${JSON.stringify(path)}))["content"]
names = text.split()
await mcp_memory.create_entities(entities=[
    {"name": name, "entityType": "word", "observations": [f"{len(name)} letters"]} for name in names])
graph = await mcp_memory.read_graph()
print(len(graph["entities"]), "entities")
sorted(entity["name"] for entity in graph["entities"])`,
      { servers: ['filesystem', 'memory'] },
    );
    expect(composed).toEqual({
      content: [{ type: 'text', text: expect.stringContaining("2 entities\n[result] ['alpha', 'beta']\n[sandbox] ") }],
      structuredContent: {
        engine,
        guarantees: expect.arrayContaining([expect.any(String)]),
        stdout: '2 entities\n',
        result: ['alpha', 'beta'],
      },
    });
    expect(readFileSync(path, 'utf8')).toBe('alpha\nbeta\n');
    expect(await resultOf('names[-1] + str(len(graph["entities"]))')).toBe('beta2');
    expect(await resultOf('"names" in globals()', { session: false })).toBe(false);
  });

  it('returns the type, message and line of an exception, and the output before it', async () => {
    const result = await run('print("before")\n\ndef f():\n    return {}["missing"]\nf()');
    expect(result.isError).toBe(true);
    expect(answerOf(result)).toMatchObject({
      stdout: 'before\n',
      error: { type: 'KeyError', message: "'missing'", line: 4 },
    });
    expect(textOf(result)).toContain("[error] KeyError: 'missing' (line 4)");
  });

  it('truncates output at the limit with a mark', async () => {
    const result = await run('print("x" * 100_000)');
    const { stdout, truncated } = answerOf(result);
    expect(truncated).toEqual(['stdout']);
    expect(String(stdout)).toMatch(/^x{2000}\n\[truncated: more than 2000 bytes\]$/);
  });

  it('returns saved files, and raises a tool error as an exception with its text', async () => {
    const saved = await run('open("a.txt", "w").write("kept")\nNone', { session: false });
    expect(answerOf(saved).files).toEqual([{ path: 'a.txt', bytes: 4, text: 'kept' }]);
    const failing =
      'import mcp\ntry:\n    mcp_own.complain()\nexcept mcp.ToolError as e:\n    caught = [e.code, str(e)]\ncaught';
    expect(await resultOf(failing)).toEqual(['TOOL_EXECUTION_ERROR', 'this is my own complaint']);
    expect(answerOf(await run('mcp_own.complain()')).error).toMatchObject({
      ...{ type: 'mcp.ToolError', code: 'TOOL_EXECUTION_ERROR', message: 'this is my own complaint', line: 1 },
    });
  });

  it.each([
    { title: 'the largest safe integer', code: '2**53 - 1', result: 9007199254740991, text: '9007199254740991' },
    { title: 'a larger integer', code: '2**53', result: '9007199254740992', text: '9007199254740992' },
    { title: 'a large negative integer', code: '-10**30', result: `-1${'0'.repeat(30)}`, text: `-1${'0'.repeat(30)}` },
    {
      title: 'a large integer in a nested value',
      code: '{"rows": [1, {"id": 9007199254740993}]}',
      result: "{'rows': [1, {'id': 9007199254740993}]}",
      text: "{'rows': [1, {'id': 9007199254740993}]}",
    },
    {
      title: 'a large integer as a string',
      code: '[str(10**20)]',
      result: [`1${'0'.repeat(20)}`],
      text: `['1${'0'.repeat(20)}']`,
    },
  ])('returns $title as Python prints it, as a value and as text', async ({ code, result, text }) => {
    const answer = await run(code);
    expect(answerOf(answer).result).toEqual(result);
    expect(textOf(answer)).toContain(`[result] ${text}\n`);
  });

  it('rejects an integer argument that would lose precision', async () => {
    expect(answerOf(await run('mcp_own.sleep(ms=9007199254740993)')).error).toEqual({
      ...{ type: 'mcp.ToolError', code: 'TOOL_VALIDATION_ERROR', line: 1 },
      message: 'the integer 9007199254740993 at ms would lose precision in JSON; send it as a string',
    });
    const code = 'async def f():\n    return await mcp_own.sleep(ms=10**30)\nawait f()';
    expect(answerOf(await run(code)).error).toMatchObject({ code: 'TOOL_VALIDATION_ERROR', line: 2 });
  });

  it.each([
    {
      title: 'a server without approval',
      code: 'mcp_waiting.echo(text="a")',
      servers: ['waiting'],
      error: { type: 'mcp.ToolError', code: 'SERVER_NOT_APPROVED' },
    },
    {
      title: 'a disabled tool',
      code: 'mcp_own.exit()',
      servers: ['own'],
      error: { type: 'mcp.ToolError', code: 'TOOL_DISABLED' },
    },
    {
      title: 'arguments that violate the schema',
      code: 'mcp_own.sleep(ms="long")',
      servers: ['own'],
      error: { type: 'mcp.ToolError', code: 'TOOL_VALIDATION_ERROR' },
    },
    {
      title: 'a server that is not in servers',
      code: 'mcp_elsewhere.echo(text="a")',
      servers: ['own'],
      error: { type: 'NameError' },
    },
    {
      title: 'the docs of a server that is not in servers',
      code: 'import mcp.runtime\nmcp.runtime.list_tools("elsewhere")',
      servers: ['own'],
      error: { type: 'mcp.ToolError', code: 'SERVER_NOT_FOUND' },
    },
  ])('refuses $title', async ({ code, servers, error }) => {
    expect(answerOf(await run(code, { servers })).error).toMatchObject(error);
  });

  it('refuses forged messages to servers that are not in servers or not approved', async () => {
    const before = startsIn(starts).length;
    const forged = ['elsewhere', 'waiting', 'filesystem', '../own', ''];
    const codes = await resultOf(
      `
channel = mcp_own.echo._host.channel
codes = []
for server in ${JSON.stringify(forged)}:
    answer = channel.ask("tool", {"server": server, "tool": "echo", "arguments": {"text": "a"}})
    codes.append(answer["error"]["data"]["code"] if "error" in answer else answer)
codes`,
      { servers: ['own'], session: false },
    );
    expect(codes).toEqual(forged.map(() => 'TOOL_NOT_FOUND'));
    expect(startsIn(starts)).toHaveLength(before);
    expect(startsIn(`${starts}-2`)).toEqual([]);
  });

  it('stops a program at its timeout, reports the lost variables, and continues with a new session', async () => {
    await resultOf('kept = 1');
    const stopped = await run('print("began")\nwhile True: pass', { timeout: 1 });
    expect([stopped.isError, answerOf(stopped)]).toMatchObject([
      true,
      { stdout: 'began\n', error: { type: 'TimeoutError', message: 'stopped after 1 s' }, stateLost: true },
    ]);
    expect(textOf(stopped)).toContain('[session] the variables, imports and files of earlier runs were lost');
    expect(await resultOf('"kept" in globals()')).toBe(false);
  });

  it('reports progress, and stops a program whose request is cancelled', async () => {
    await resultOf('1'); // starts the session
    const code = 'import time\nfor n in range(1000):\n    mcp_own.echo(text=str(n))\n    time.sleep(0.05)';
    const params = { name: 'run_python', arguments: { code }, _meta: { progressToken: 'p' } };
    client.send({ jsonrpc: '2.0', id: 'long', method: 'tools/call', params });
    const steps = () =>
      client.notifications
        .filter(({ params: progress }) => (progress as Answer).progressToken === 'p')
        .map((one) => one.params);
    await until(steps, (received) => received.length >= 2);
    const progress = steps().map((step) => Number((step as Answer).progress));
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } });
    // The session can be used again, and its variables are lost.
    expect(await resultOf('"n" in globals()')).toBe(false);
    expect(client.unmatched).toEqual([]);
    const logged = async () => (await readAudit(machine.path('~/.local/state/portolan/audit'))).entries;
    await until(logged, (entries) =>
      entries.some(({ outcome, tool }) => outcome === 'CANCELLED' && tool === 'run_python'),
    );
  });

  it('stores memories of the project on the host, also for other sessions', async () => {
    await resultOf(
      'runtime = __import__("mcp.runtime").runtime\nruntime.save_memory("plan", {"step": 1}, {"by": "me"})',
    );
    await resultOf('import mcp.runtime\nmcp.runtime.update_memory("plan", {"step": 2})', { session: false });
    const listed = 'import mcp.runtime as r\n[r.load_memory("plan"), r.memory_exists("none"), r.list_memories()]';
    expect(await resultOf(listed, { session: false })).toEqual([
      { step: 2 },
      false,
      [
        {
          key: 'plan',
          metadata: { by: 'me' },
          created: expect.any(String),
          updated: expect.any(String),
          bytes: expect.any(Number),
        },
      ],
    ]);
    expect(await resultOf('import mcp.runtime as r\n[r.delete_memory("plan"), r.load_memory("plan")]')).toEqual([
      true,
      null,
    ]);
  });

  it('records each call in the audit log with its origin', async () => {
    await resultOf('mcp_own.echo(text="recorded")');
    const read = async () => JSON.parse((await portolan(machine, ['audit', '--json', '--last', '2'])).stdout).entries;
    const entries = await until(read, (lines) => lines[0]?.tool === 'echo' && lines[1]?.tool === 'run_python');
    expect(entries).toMatchObject([
      { client: 'test', server: 'own', tool: 'echo', outcome: 'ok', via: 'run_python' },
      { client: 'test', server: 'portolan', tool: 'run_python', outcome: 'ok' },
    ]);
  });

  it('leaves no interpreter process when the gateway is killed', async () => {
    await using other = await connect(machine);
    await other.call('run_python', { code: 'kept = 1' });
    other.send({
      ...{ jsonrpc: '2.0', id: 'endless', method: 'tools/call' },
      params: { name: 'run_python', arguments: { code: 'while True: pass', session: false } },
    });
    const guests = await until(
      () => descendants(other.pid),
      (pids) => pids.length >= 3,
    );
    other.signal('SIGKILL');
    expect(
      await until(
        () => guests.filter(isAlive),
        (alive) => alive.length === 0,
      ),
    ).toEqual([]);
  });

  it('is also available as a command and in the library', async () => {
    machine.write({ '<project>/sum.py': 'print(mcp_own.echo(text="hi"))\n1 / 0' });
    const { status, stdout, stderr } = await portolan(machine, ['python', 'sum.py', '--servers', 'own']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: 'hi\n' });
    expect(stderr).toMatch(new RegExp(`^ZeroDivisionError: division by zero \\(line 2\\)\n${engine}: no `));
    const json = await portolan(machine, ['python', 'sum.py', '--json', '--servers', 'unknown']);
    expect(JSON.parse(json.stdout)).toMatchObject({ success: false, error: { code: 'SERVER_NOT_FOUND' } });
    await using gateway = await openGateway(machine.options({ env: { PATH: process.env.PATH ?? '' } }));
    expect(await gateway.runPython('n = 20')).toMatchObject({ success: true, answer: { engine } });
    expect(await gateway.runPython('n + 1')).toMatchObject({ success: true, answer: { result: 21 } });
    expect(await gateway.runPython('n', { session: false })).toMatchObject({
      success: false,
      answer: { error: { type: 'NameError', line: 1 } },
    });
    expect(await gateway.runPython('1', { timeout: 1_000 })).toEqual({
      success: false,
      error: {
        code: 'TOOL_VALIDATION_ERROR',
        message: 'timeout must be at most 120 seconds',
        hint: 'sandbox.maxTimeoutMs in the settings sets the limit',
      },
    });
  });
}

/** The descendants of a process on Linux. */
function descendants(pid: number): number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(descendants)];
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return []; // the process has exited, or the system has no /proc
  }
}
