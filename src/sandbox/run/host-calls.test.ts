import { describe, expect, it } from 'vitest';
import { ErrorCode, PortolanError, silentLog } from '../../base/index.js';
import type { Outgoing } from '../../rpc/index.js';
import { type Capability, DEFAULT_LIMITS, type HostCall, type Limits, WrittenResult } from '../engine.js';
import { HostCalls } from './host-calls.js';

const CALL: HostCall = { kind: 'runtime', name: 'list_servers', arguments: {} };
const settled = () => new Promise((resolve) => setImmediate(resolve));

function calls(capability: Capability, limits: Partial<Limits> = {}) {
  const sent: unknown[] = [];
  const send = (message: Outgoing) => {
    sent.push(
      message.kind === 'result' && 'json' in message.answer
        ? { id: message.id, result: message.answer.json.toString() }
        : message,
    );
  };
  return { sent, calls: new HostCalls(capability, { ...DEFAULT_LIMITS, ...limits }, send, silentLog) };
}

const fault = (id: number, message: unknown, data: unknown) => ({
  kind: 'fault',
  id,
  fault: { code: -32_000, message, data },
});

describe('HostCalls', () => {
  it.each<{ title: string; capability: Capability; answer: unknown }>([
    { title: 'a value', capability: async () => ({ a: '\n' }), answer: { id: 1, result: '{"a":"\\n"}' } },
    {
      title: 'a result that is JSON text, unchanged',
      capability: async () => new WrittenResult(Buffer.from('{"n":12345678901234567890}')),
      answer: { id: 1, result: '{"n":12345678901234567890}' },
    },
    {
      title: 'an error for JSON text that is nested too deeply',
      capability: async () => new WrittenResult(Buffer.from('['.repeat(201) + ']'.repeat(201))),
      answer: fault(1, 'the result is nested deeper than 200 levels', {
        code: 'RESULT_TOO_LARGE',
        hint: 'request less data',
      }),
    },
    { title: 'nothing as null', capability: async () => undefined, answer: { id: 1, result: 'null' } },
    {
      title: 'an error that the model can fix, with its code',
      capability: async () => {
        throw new PortolanError(ErrorCode.ToolDisabled, 'off', { hint: 'ask' });
      },
      answer: fault(1, 'off', { code: 'TOOL_DISABLED', hint: 'ask' }),
    },
    {
      title: 'an internal error without its message',
      capability: async () => {
        throw new Error('the password is hunter2');
      },
      answer: fault(1, 'the call failed inside the gateway', {
        code: 'TOOL_EXECUTION_ERROR',
        hint: 'the log of the gateway has the reason',
      }),
    },
    {
      title: 'an internal error for a value that cannot be serialized',
      capability: async () => 1n,
      answer: fault(1, 'the call failed inside the gateway', {
        code: 'TOOL_EXECUTION_ERROR',
        hint: 'the log of the gateway has the reason',
      }),
    },
    {
      title: 'an error with the size for a large result',
      capability: async () => 'x'.repeat(100),
      answer: fault(1, 'the result has 102 bytes, more than 64', {
        code: 'RESULT_TOO_LARGE',
        hint: 'request less data',
      }),
    },
    {
      title: 'an error for a deeply nested result',
      capability: async () => JSON.parse('['.repeat(1000) + ']'.repeat(1000)),
      answer: fault(1, 'the result is nested deeper than 200 levels', {
        code: 'RESULT_TOO_LARGE',
        hint: 'request less data',
      }),
    },
  ])('answers $title', async ({ capability, answer }) => {
    const { sent, calls: made } = calls(capability, { hostCallBytes: 64 });
    expect(made.take(1, CALL)).toBe(true);
    await settled();
    expect(sent).toEqual([answer]);
  });

  it('rejects calls over the limit, and reports when there are twice as many', async () => {
    const { sent, calls: made } = calls(async () => 1, { hostCalls: 2 });
    expect([1, 2, 3, 4, 5].map((id) => made.take(id, CALL))).toEqual([true, true, true, true, false]);
    await settled();
    expect(sent.map((message) => JSON.stringify(message).includes('LIMIT_EXCEEDED'))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('rejects an id that is in use', () => {
    const { calls: made } = calls(() => new Promise(() => undefined));
    expect([made.take(1, CALL), made.take(1, CALL)]).toEqual([true, false]);
  });

  it('runs no more than 64 at once', async () => {
    let [running, most] = [0, 0];
    const { sent, calls: made } = calls(async () => {
      running += 1;
      most = Math.max(most, running);
      await settled();
      running -= 1;
    });
    for (let id = 0; id < 200; id += 1) made.take(id, CALL);
    while (sent.length < 200) await settled();
    expect(most).toBe(64);
  });

  it('lets timers run between calls that are answered immediately', async () => {
    const { sent, calls: made } = calls(async () => {
      const ends = performance.now() + 1;
      while (performance.now() < ends); // blocks the event loop like a disk read
    });
    const fired = new Promise<number>((resolve) => setTimeout(() => resolve(sent.length), 1));
    for (let id = 0; id < 300; id += 1) made.take(id, CALL);
    expect(await fired).toBeLessThan(70);
    while (sent.length < 300) await settled();
  });

  it('starts no queued call after the run has ended', async () => {
    let started = 0;
    const { calls: made } = calls(async () => {
      started += 1;
    });
    for (let id = 0; id < 100; id += 1) made.take(id, CALL);
    made.close();
    made.take(100, CALL);
    for (let n = 0; n < 10; n += 1) await settled();
    expect(started).toBe(64);
  });

  it('aborts a cancelled call and sends no response', async () => {
    const signals: AbortSignal[] = [];
    const { sent, calls: made } = calls(async (_, signal) => {
      signals.push(signal);
      await settled();
      return 1;
    });
    made.take(1, CALL);
    made.take(2, CALL);
    made.cancel(1);
    made.close();
    await settled();
    await settled();
    expect({ sent, aborted: signals.map(({ aborted }) => aborted) }).toEqual({ sent: [], aborted: [true, true] });
  });
});
