import { describe, expect, it } from 'vitest';
import { configure, connect, isAlive, type StdioClient, until } from '../support/client-over-stdio.js';
import { codeOf } from '../support/gateway-harness.js';
import { makeMachine } from '../support/machine.js';
import { slowRunner } from '../support/slow-runner.js';

const STILL = {
  error: {
    code: 'CONNECTION_ERROR',
    message: expect.stringMatching(/^slow is still being installed, \d+ s$/),
    hint: 'call again: the start continues, and the next call joins it',
  },
};

const untilItAnswers = (client: StdioClient) =>
  until(
    () => client.execute('slow', 'read_graph'),
    (result) => codeOf(result) === undefined,
  );

describe('a start that takes longer than a call waits', () => {
  it('continues after the call gave up or was cancelled, and the next call joins it', async () => {
    using machine = makeMachine();
    const slow = slowRunner(machine);
    configure(machine, { slow: slow.entry }, { timeouts: { startWaitMs: 300, searchMs: 100, idleMs: 300 } });
    const statuses = async (client: StdioClient) => (await client.ask('list_mcp_servers')).servers;
    {
      await using client = await connect(machine);
      expect((await client.execute('slow', 'read_graph')).structuredContent).toMatchObject(STILL);
      expect(await client.ask('list_tools', { server: 'slow' })).toMatchObject(STILL);
      expect(await client.ask('get_tool_details', { server: 'slow', tool: 'read_graph' })).toMatchObject(STILL);
      expect(await statuses(client)).toEqual([{ name: 'slow', status: 'starting' }]);
      // A cancellation ends only the wait of the call.
      const params = { name: 'execute_tool', arguments: { server: 'slow', tool: 'read_graph' } };
      client.send({ jsonrpc: '2.0', id: 'gone', method: 'tools/call', params });
      client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'gone' } });
      slow.finish();
      expect((await untilItAnswers(client)).structuredContent).toMatchObject({ entities: [], relations: [] });
      expect(slow.pids()).toHaveLength(1);
    }
    // The same with a known list of tools. A server that nobody waits for any more stops when it is idle.
    slow.reset();
    await using client = await connect(machine);
    expect(await statuses(client)).toMatchObject([{ name: 'slow', status: 'idle' }]);
    expect((await client.execute('slow', 'read_graph')).structuredContent).toMatchObject(STILL);
    slow.finish();
    await until(
      () => slow.pids().filter(isAlive),
      ({ length }) => length === 0,
    );
    expect((await untilItAnswers(client)).structuredContent).toMatchObject({ entities: [] });
  });

  it('is reported to the client while the call waits, and ends with the gateway', async () => {
    using machine = makeMachine();
    const slow = slowRunner(machine);
    configure(machine, { slow: slow.entry }, { timeouts: { shutdownMs: 100 } });
    {
      await using client = await connect(machine);
      const waiting = client.execute('slow', 'read_graph', {}, { progressToken: 'p' }).catch(() => undefined);
      const reports = await until(
        () => client.notifications.filter(({ method }) => method === 'notifications/progress'),
        ({ length }) => length >= 2,
      );
      const told = reports.map(({ params }) => params as { progress: number; message: string });
      expect(told[0]).toMatchObject({ progressToken: 'p', message: expect.stringMatching(/^installing slow, \d+ s$/) });
      expect(told[1]?.progress).toBeGreaterThan(told[0]?.progress ?? 1);
      // The progress of the server itself begins at 1.
      expect(told.every(({ progress }) => progress > 0 && progress < 1)).toBe(true);
      expect(slow.pids().filter(isAlive)).toHaveLength(1);
      client.endInput();
      await waiting;
    }
    await until(
      () => slow.pids().filter(isAlive),
      ({ length }) => length === 0,
    );
  });
});
