import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readAudit as readLog } from '../../src/audit/index.js';
import { openGateway } from '../../src/index.js';
import { callsReceived, configure, fixture, isAlive, startsIn, until } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

const PATH = process.env.PATH ?? '';

describe('openGateway', () => {
  it('lists, searches, describes and calls tools, and stops its servers on close', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    configure(machine, { own: fixture(['--starts', starts]) }, { timeouts: { searchMs: 20_000 } });
    const gateway = await openGateway(machine.options({ env: { PATH } }));
    expect(startsIn(starts)).toEqual([]);
    expect(await gateway.searchTools('echo a text', { limit: 1 })).toMatchObject({
      results: [{ server: 'own', tool: 'echo', relevance: expect.any(Number) }],
    });
    expect((await gateway.listTools('own')).tools).toHaveLength(8);
    expect(await gateway.getToolDetails('own', 'echo')).toMatchObject({ inputSchema: { required: ['text'] } });
    expect(await gateway.executeTool('own', 'echo', { text: 'a' })).toEqual({
      success: true,
      result: { content: [{ type: 'text', text: 'a' }] },
    });
    expect(await gateway.listServers()).toEqual({
      servers: [{ name: 'own', toolCount: 8, enabledCount: 8, status: 'connected' }],
    });
    const pids = startsIn(starts);
    expect(pids).toHaveLength(1);
    await gateway.close();
    await gateway.close(); // a second call has no effect
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await gateway.executeTool('own', 'echo', { text: 'a' })).toMatchObject({
      success: false,
      error: { code: 'CONNECTION_ERROR' },
    });
    expect(startsIn(starts)).toEqual(pids);
  });

  it.each([0, 20, 60])('records each call in the audit log that close cancels after %i ms', async (ms) => {
    using machine = makeMachine();
    configure(machine, { own: fixture() });
    const gateway = await openGateway(machine.options({ env: { PATH } }));
    const calls = Array.from({ length: 3 }, () => gateway.executeTool('own', 'sleep', { ms: 20_000 }));
    await pause(ms);
    await gateway.close();
    expect(await Promise.all(calls)).toEqual(calls.map(() => expect.objectContaining({ success: false })));
    expect((await readLog(machine.path('~/.local/state/portolan/audit'))).total).toBe(3);
  });

  it('returns a failed call as a value, and rejects an invalid request', async () => {
    using machine = makeMachine();
    configure(machine, { own: fixture() });
    await using gateway = await openGateway(machine.options({ env: { PATH } }));
    expect(await gateway.executeTool('own', 'ecco')).toEqual({
      success: false,
      error: {
        code: 'TOOL_NOT_FOUND',
        message: 'own has no tool named "ecco"',
        server: 'own',
        tool: 'ecco',
        hint: 'did you mean echo?',
      },
    });
    expect(await gateway.executeTool('own', 'complain')).toMatchObject({ success: true, result: { isError: true } });
    await expect(gateway.listTools('onw')).rejects.toMatchObject({ code: 'SERVER_NOT_FOUND' });
  });

  it.each([
    { title: 'no tool', given: ['own'], what: 'tool is missing' },
    { title: 'no arguments', given: [], what: 'server is missing' },
    { title: 'a tool that is not a string', given: ['own', { name: 'echo' }], what: 'tool must be a string' },
    {
      title: 'a number that JSON cannot represent',
      given: ['own', 'echo', { text: 5n }],
      what: 'a number that JSON cannot represent',
    },
  ])('returns a validation error for $title, and continues', async ({ given, what }) => {
    using machine = makeMachine();
    configure(machine, { own: fixture() });
    await using gateway = await openGateway(machine.options({ env: { PATH } }));
    expect(await Reflect.apply(gateway.executeTool, undefined, given)).toMatchObject({
      success: false,
      error: { code: 'TOOL_VALIDATION_ERROR', message: expect.stringContaining(what) },
    });
    expect(await gateway.executeTool('own', 'echo', { text: 'a' })).toMatchObject({ success: true });
    await expect(Reflect.apply(gateway.listTools, undefined, [{ server: 'own' }])).rejects.toMatchObject({
      code: 'TOOL_VALIDATION_ERROR',
    });
    await gateway.close();
    expect(readAudit(machine.path('~/.local/state/portolan/audit'))).toContain('"outcome":"ok"');
  });

  it('cancels a call with its AbortSignal', async () => {
    using machine = makeMachine();
    const received = machine.path('~/received');
    configure(machine, { own: fixture(['--record', received]) });
    await using gateway = await openGateway(machine.options({ env: { PATH } }));
    await gateway.listTools('own');
    const stop = new AbortController();
    const call = gateway.executeTool('own', 'sleep', { ms: 60_000 }, { signal: stop.signal });
    await callsReceived(received);
    stop.abort();
    expect(await call).toMatchObject({ success: false, error: { code: 'CANCELLED' } });
    const aborted = await gateway.executeTool('own', 'echo', { text: 'a' }, { signal: stop.signal });
    expect(aborted).toMatchObject({ success: false, error: { code: 'CANCELLED' } });
    expect(await gateway.executeTool('own', 'echo', { text: 'a' })).toMatchObject({ success: true });
  });

  it('cancels a call that still waits for the tool list of a restarted server', async () => {
    using machine = makeMachine();
    const tools = machine.path('~/tools.json');
    machine.write({ '~/tools.json': JSON.stringify([{ name: 'echo', inputSchema: { type: 'object' } }]) });
    const received = machine.path('~/received');
    configure(machine, { own: fixture(['--tools', tools, '--record', received]) }, { pins: 'enforce' });
    {
      await using before = await openGateway(machine.options({ env: { PATH } }));
      await before.listTools('own');
    }
    machine.write({ '~/tools.json': 'null' });
    const lists = () => readFileSync(received, 'utf8').split('"tools/list"').length;
    const before = lists();
    await using gateway = await openGateway(machine.options({ env: { PATH } }));
    const began = performance.now();
    const stop = new AbortController();
    const call = gateway.executeTool('own', 'echo', {}, { signal: stop.signal });
    await until(lists, (count) => count > before);
    stop.abort();
    expect(await call).toMatchObject({ success: false, error: { code: 'CANCELLED' } });
    // Less than the timeout of 30 s for a list.
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('accepts servers and settings as options, without a file', async () => {
    using machine = makeMachine();
    await using gateway = await openGateway(
      machine.options({
        env: { PATH },
        servers: { passed: fixture() },
        settings: { toolRules: [{ pattern: ['echo'], enabled: false }] },
      }),
    );
    expect(await gateway.executeTool('passed', 'echo', { text: 'a' })).toMatchObject({
      error: { code: 'TOOL_DISABLED' },
    });
    expect(await gateway.executeTool('passed', 'argv')).toMatchObject({ success: true });
    const audit = await until(
      () => readAudit(machine.path('~/.local/state/portolan/audit')),
      (text) => text.includes('"argv"'),
    );
    expect(audit).toContain('"library"');
  });
});

describe('a cached tool list', () => {
  /** Makes the cached lists one minute older. */
  function age(machine: Machine): void {
    const folder = machine.path('~/.cache/portolan/catalog');
    for (const name of readdirSync(folder)) {
      const known = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      writeFileSync(join(folder, name), JSON.stringify({ ...known, readAt: known.readAt - 60_000 }));
    }
  }
  const taking = (property: string) => ({
    type: 'object',
    properties: { [property]: { type: 'string' } },
    required: [property],
  });

  it('is read once more before calls are refused', async () => {
    using machine = makeMachine();
    const [tools, starts] = [machine.path('~/tools.json'), machine.path('~/starts')];
    writeFileSync(tools, JSON.stringify([{ name: 'first', inputSchema: taking('a') }]));
    configure(machine, { own: fixture(['--tools', tools, '--starts', starts]) });
    {
      await using gateway = await openGateway(machine.options({ env: { PATH } }));
      expect(await gateway.executeTool('own', 'first', { a: 'x' })).toMatchObject({ success: true });
    }
    writeFileSync(
      tools,
      JSON.stringify([
        { name: 'first', inputSchema: taking('b') },
        { name: 'second', inputSchema: taking('a') },
      ]),
    );
    age(machine);
    {
      await using gateway = await openGateway(machine.options({ env: { PATH } }));
      // A call that fits the current list succeeds, and one that only fitted the old list is refused.
      expect(await gateway.executeTool('own', 'first', { b: 'x' })).toMatchObject({ success: true });
      expect(await gateway.executeTool('own', 'second', { a: 'x' })).toMatchObject({ success: true });
      expect(await gateway.executeTool('own', 'first', { a: 'x' })).toMatchObject({
        success: false,
        error: { code: 'TOOL_VALIDATION_ERROR', message: expect.stringContaining('b') },
      });
    }
    age(machine);
    const before = startsIn(starts).length;
    await using gateway = await openGateway(machine.options({ env: { PATH } }));
    const refused = await Promise.all(['x', 'y', 'z'].map((name) => gateway.executeTool('own', name)));
    expect(refused.map((answer) => !answer.success && answer.error.code)).toEqual(Array(3).fill('TOOL_NOT_FOUND'));
    expect(startsIn(starts).length - before).toBe(1);
  });

  it('is not read again for a call that a rule refuses', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    configure(machine, { own: fixture(['--starts', starts]) }, { toolRules: [{ pattern: ['echo'], enabled: false }] });
    {
      await using gateway = await openGateway(machine.options({ env: { PATH } }));
      await gateway.listTools('own');
    }
    age(machine);
    await using gateway = await openGateway(machine.options({ env: { PATH } }));
    expect(await gateway.executeTool('own', 'echo', { text: 'a' })).toMatchObject({ error: { code: 'TOOL_DISABLED' } });
    expect(startsIn(starts)).toHaveLength(1);
  });
});

function readAudit(folder: string): string {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
}
