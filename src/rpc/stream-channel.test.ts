import { once } from 'node:events';
import { createServer, connect as dial, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ChannelListener } from './channel.js';
import { StreamChannel } from './stream-channel.js';

const LIMITS = { maxLineBytes: 100, maxDepth: 16 };

function opened(limits = () => LIMITS) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const received: unknown[] = [];
  const listener: ChannelListener = {
    message: (message) => received.push(message),
    overlong: (line) => received.push({ overlong: line }),
    undelivered: (id) => received.push({ undelivered: id }),
    onClose: (reason) => received.push({ closed: reason?.message }),
  };
  const channel = new StreamChannel(input, output, limits);
  channel.start(listener);
  return { input, output, received, channel, written: () => String(output.read() ?? '') };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('StreamChannel', () => {
  it('delivers messages and the close, once each', async () => {
    const { input, received } = opened();
    input.write('{"jsonrpc":"2.0","meth');
    input.write('od":"a"}\nnoise\n');
    input.end(`${'x'.repeat(101)}\n{"jsonrpc":"2.0","method":"last"}`);
    await once(input, 'close');
    await settled();
    expect(received).toEqual([
      { kind: 'notification', method: 'a', params: undefined },
      { kind: 'invalid', id: undefined, fault: { code: -32700, message: 'not valid JSON' } },
      { overlong: { bytes: 101, id: undefined, isRequest: false } },
      { kind: 'notification', method: 'last', params: undefined },
      { closed: undefined },
    ]);
  });

  it('applies the limits at the time of parsing, also to a last line without a newline', async () => {
    let maxDepth = 16;
    const { input, received } = opened(() => ({ ...LIMITS, maxDepth }));
    const deep = `{"jsonrpc":"2.0","method":"a","params":{"x":${'['.repeat(8)}${']'.repeat(8)}}}`;
    input.write(`${deep}\n${deep}`);
    await settled();
    maxDepth = 4;
    input.end();
    await once(input, 'close');
    await settled();
    expect(received).toMatchObject([
      { kind: 'notification' },
      { kind: 'invalid', fault: { message: 'nested deeper than 4' } },
      { closed: undefined },
    ]);
  });

  it('writes one line for each message, and messages of one tick in one write', async () => {
    const { channel, written } = opened();
    channel.send({ kind: 'request', id: 0, method: 'm', params: { a: 'line\nline' } });
    channel.send({ kind: 'notification', method: 'n', params: undefined });
    channel.send({ kind: 'result', id: 'x"', answer: { value: { a: 1 } } });
    channel.send({ kind: 'result', id: 'x"', answer: { json: Buffer.from('{"a":1}') } });
    channel.send({ kind: 'result', id: 7, answer: { json: '{"a":"ä"}' } });
    channel.send({ kind: 'fault', id: null, fault: { code: -1, message: 'no' } });
    await new Promise((resolve) => setImmediate(resolve));
    expect(written().split('\n')).toEqual([
      '{"jsonrpc":"2.0","id":0,"method":"m","params":{"a":"line\\nline"}}',
      '{"jsonrpc":"2.0","method":"n"}',
      '{"jsonrpc":"2.0","id":"x\\"","result":{"a":1}}',
      '{"jsonrpc":"2.0","id":"x\\"","result":{"a":1}}',
      '{"jsonrpc":"2.0","id":7,"result":{"a":"ä"}}',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}',
      '',
    ]);
  });

  it('writes a single message immediately, and collects messages again after several in one tick', async () => {
    const { channel, written } = opened();
    const send = (method: string, isLast: boolean) =>
      channel.send({ kind: 'notification', method, params: {} }, isLast);
    const methods = () => [...written().matchAll(/"method":"(.)"/g)].map(([, method]) => method).join('');
    send('a', true);
    expect(methods()).toBe('a');
    send('b', false);
    send('c', true); // after the queued ones
    expect(methods()).toBe('');
    await settled();
    expect(methods()).toBe('bc');
    send('d', true); // more messages may follow, as before
    expect(methods()).toBe('');
    await settled();
    expect(methods()).toBe('d');
    send('e', true);
    expect(methods()).toBe('e');
    await settled();
    expect(methods()).toBe('');
  });

  it('reports the unwritten bytes', () => {
    const { channel, output } = opened();
    const before = channel.backlogBytes;
    for (let n = 0; n < 100; n += 1)
      channel.send({ kind: 'notification', method: 'n'.repeat(1_000), params: undefined });
    expect(before).toBe(0);
    expect(channel.backlogBytes).toBeGreaterThan(output.writableHighWaterMark);
  });

  it('closes once with the reason of a stream error, and writes nothing afterwards', async () => {
    const { channel, input, output, received } = opened();
    output.destroy(new Error('EPIPE'));
    input.destroy();
    await settled();
    channel.send({ kind: 'notification', method: 'late', params: undefined });
    await channel.close();
    expect(received).toEqual([{ closed: 'EPIPE' }]);
  });

  it('destroys the stream on close if the other side does not read', async () => {
    const { channel, output } = opened();
    for (let n = 0; n < 100; n += 1)
      channel.send({ kind: 'notification', method: 'n'.repeat(1_000), params: undefined });
    await channel.close();
    expect(output.destroyed).toBe(true);
  });

  it('responds over a half-closed socket', async () => {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || !address) throw new Error('no port');
    const client = dial({ port: address.port, host: '127.0.0.1', allowHalfOpen: true });
    const [accepted] = (await once(server, 'connection')) as [Socket];
    const received: unknown[] = [];
    const channel = new StreamChannel(accepted, accepted, () => LIMITS);
    const closed = new Promise<void>((resolve) => {
      channel.start({
        message: (message) => received.push(message.kind),
        overlong: () => undefined,
        undelivered: () => undefined,
        onClose: () => resolve(),
      });
    });
    client.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await closed;
    channel.send({ kind: 'result', id: 1, answer: { value: {} } });
    void channel.close();
    let text = '';
    for await (const chunk of client) text += chunk;
    server.close();
    expect({ received, text }).toEqual({ received: ['request'], text: '{"jsonrpc":"2.0","id":1,"result":{}}\n' });
  });
});
