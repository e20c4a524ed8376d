import { describe, expect, it } from 'vitest';
import type { Channel, ChannelListener, Outgoing } from './channel.js';
import type { Incoming } from './message.js';
import { AnswerTooLarge, ChannelClosed, Peer, type PeerHandlers, RpcError } from './peer.js';

/** A peer on a channel that the test controls. */
function openPeer(
  handlers: Partial<PeerHandlers> = {},
  backlogBytes = 0,
  before: (message: Outgoing) => void = () => undefined,
) {
  const sent: Outgoing[] = [];
  const last: (Outgoing['kind'] | undefined)[] = [];
  const faults: unknown[] = [];
  const closings: (Error | undefined)[] = [];
  let listener: ChannelListener | undefined;
  const channel: Channel = {
    backlogBytes,
    start: (given) => {
      listener = given;
    },
    send: (message, isLast) => {
      before(message);
      sent.push(message);
      last.push(isLast ? message.kind : undefined);
    },
    close: async () => listener?.onClose(undefined),
  };
  const peer = new Peer(channel, {
    request: async () => ({ value: {} }),
    notification: () => undefined,
    onInvalidMessage: () => 'skip',
    closed: (reason) => closings.push(reason),
    fault: (error) => faults.push(error),
    ...handlers,
  });
  if (!listener) throw new Error('the peer does not listen');
  const { message, overlong, undelivered, onClose: closed } = listener;
  return {
    peer,
    sent,
    last,
    faults,
    closings,
    receive: (one: Incoming) => message(one),
    overlong,
    undelivered,
    closed,
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Peer', () => {
  it('matches responses by id in any order', async () => {
    const { peer, sent, receive } = openPeer();
    const [first, second] = [peer.request('a', { n: 1 }), peer.request('b', undefined)];
    expect(sent).toEqual([
      { kind: 'request', id: 0, method: 'a', params: { n: 1 } },
      { kind: 'request', id: 1, method: 'b', params: undefined },
    ]);
    receive({ kind: 'result', id: 1, result: 'of b' });
    receive({ kind: 'fault', id: 0, fault: { code: -5, message: 'of a', data: 9 } });
    expect(await second.answer).toEqual({ kind: 'result', id: 1, result: 'of b' });
    const error = await first.answer.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ fault: { code: -5, message: 'of a', data: 9 } });
    expect(peer.pendingCount).toBe(0);
  });

  it('marks a message as last if no other request is open', async () => {
    const answers: (() => void)[] = [];
    const { peer, last, receive } = openPeer({
      request: ({ method }) => {
        if (method === 'bad') throw new RpcError(-1, 'no');
        return new Promise((resolve) => answers.push(() => resolve({ value: {} })));
      },
    });
    const [first] = [peer.request('a', undefined), peer.request('b', undefined)];
    receive({ kind: 'result', id: 1, result: 1 });
    receive({ kind: 'result', id: first.id, result: 1 });
    void peer.request('c', undefined);
    for (const id of [1, 2, 3]) receive({ kind: 'request', id, method: 'm', params: undefined });
    for (const answer of answers.splice(0)) answer();
    await settled();
    receive({ kind: 'request', id: 4, method: 'bad', params: undefined });
    await settled();
    receive({ kind: 'request', id: 5, method: 'm', params: undefined });
    answers.pop()?.();
    await settled();
    expect(last).toEqual([
      ...['request', undefined, 'request'], // alone, with another, alone again
      ...[undefined, undefined, 'result'],
      ...[undefined, 'result'], // a refusal, and alone again after it
    ]);
  });

  it('waits for no response to a request that could not be written', async () => {
    const { peer, last } = openPeer({}, 0, (message) => {
      if (message.kind === 'request' && message.method === 'bad') throw new TypeError('cannot be written');
    });
    await expect(peer.request('bad', { n: 1n }).answer).rejects.toThrow('cannot be written');
    expect(peer.pendingCount).toBe(0);
    void peer.request('good', undefined);
    expect(last).toEqual(['request']);
  });

  it('calls the callbacks of a request synchronously and once', async () => {
    const { peer, receive } = openPeer();
    const calls: string[] = [];
    const pending = {
      resolve: () => void calls.push('answer'),
      reject: ({ message }: Error) => void calls.push(message),
    };
    const ask = () => peer.ask(peer.nextId(), pending, 'a', undefined, {});
    ask();
    for (const _ of [1, 2]) receive({ kind: 'result', id: 0, result: 1 });
    expect(calls).toEqual(['answer']);
    ask();
    await peer.close();
    ask();
    expect(calls).toEqual(['answer', 'the connection was lost', 'the connection is closed']);
  });

  it('drops responses to unknown and forgotten requests', async () => {
    const { peer, sent, receive } = openPeer();
    const { id, answer } = peer.request('a', undefined);
    peer.forget(id, new Error('enough'));
    peer.forget(id, new Error('again'));
    await expect(answer).rejects.toThrow('enough');
    receive({ kind: 'result', id, result: 1 });
    receive({ kind: 'result', id: 99, result: 1 });
    receive({ kind: 'result', id: '0', result: 1 });
    receive({ kind: 'fault', id: undefined, fault: { code: 1, message: '' } });
    expect(sent).toHaveLength(1);
    expect(peer.pendingCount).toBe(0);
  });

  it('does not match a string id with a number', async () => {
    const { peer, receive } = openPeer();
    const { answer } = peer.request('a', undefined);
    receive({ kind: 'result', id: '0', result: 'wrong' });
    receive({ kind: 'result', id: 0, result: 'right' });
    expect((await answer).result).toBe('right');
  });

  it.each([
    { title: 'a value', request: async () => ({ value: 1 }), answer: { kind: 'result', id: 7, answer: { value: 1 } } },
    {
      title: 'an RpcError',
      request: async () => {
        throw new RpcError(-9, 'so', { why: 1 });
      },
      answer: { kind: 'fault', id: 7, fault: { code: -9, message: 'so', data: { why: 1 } } },
    },
  ])('answers a request with $title', async ({ request, answer }) => {
    const { sent, faults, receive } = openPeer({ request });
    receive({ kind: 'request', id: 7, method: 'm', params: undefined });
    await settled();
    expect({ sent, faults }).toEqual({ sent: [answer], faults: [] });
  });

  it('hides the message of an internal error from the other side, and reports it to `fault`', async () => {
    const broken = new Error('the password is hunter2');
    const { sent, faults, receive } = openPeer({ request: () => Promise.reject(broken) });
    receive({ kind: 'request', id: 7, method: 'm', params: undefined });
    await settled();
    expect(sent).toEqual([{ kind: 'fault', id: 7, fault: { code: -32603, message: 'internal error' } }]);
    expect(faults).toEqual([broken]);
  });

  it('continues after a listener throws', () => {
    const broken = new Error('x');
    const { faults, receive } = openPeer({
      notification: () => {
        throw broken;
      },
    });
    receive({ kind: 'notification', method: 'n', params: undefined });
    expect(faults).toEqual([broken]);
  });

  it.each([
    {
      onInvalidMessage: 'answer' as const,
      id: 4,
      sent: [{ kind: 'fault', id: 4, fault: { code: 1, message: 'what' } }],
    },
    {
      onInvalidMessage: 'answer' as const,
      id: undefined,
      sent: [{ kind: 'fault', id: null, fault: { code: 1, message: 'what' } }],
    },
    { onInvalidMessage: 'skip' as const, id: 4, sent: [] },
  ])(
    'handles an invalid message with id $id as configured: $onInvalidMessage',
    ({ onInvalidMessage, id, sent: expected }) => {
      const { sent, receive } = openPeer({ onInvalidMessage: () => onInvalidMessage });
      receive({ kind: 'invalid', id, fault: { code: 1, message: 'what' } });
      expect(sent).toEqual(expected);
    },
  );

  it('rejects all pending and later requests after the channel was closed', {
    tags: 'G5',
  }, async () => {
    const { peer, sent, closings, closed, receive } = openPeer();
    const waiting = Array.from({ length: 100 }, () => peer.request('a', undefined).answer);
    const ends = Promise.allSettled(waiting);
    const reason = new Error('it exited with code 7');
    closed(reason);
    closed(new Error('a second time'));
    receive({ kind: 'result', id: 3, result: 'too late' });
    const outcomes = await ends;
    expect(outcomes.filter((one) => one.status === 'rejected' && one.reason instanceof ChannelClosed)).toHaveLength(
      100,
    );
    expect(closings).toEqual([reason]);
    await expect(peer.request('late', undefined).answer).rejects.toThrow('closed');
    expect({ sent: sent.length, pending: peer.pendingCount }).toEqual({ sent: 100, pending: 0 });
  });

  it('rejects only the request that was not delivered', async () => {
    const { peer, undelivered, receive } = openPeer();
    const [lost, kept] = [peer.request('a', undefined), peer.request('b', undefined)];
    undelivered(lost.id, new Error('500'));
    receive({ kind: 'result', id: kept.id, result: 1 });
    await expect(lost.answer).rejects.toThrow('500');
    expect((await kept.answer).result).toBe(1);
  });

  it.each([
    { title: 'its request', id: 0, closings: 0, first: AnswerTooLarge },
    { title: 'all requests and closes, if it has no id', id: undefined, closings: 1, first: ChannelClosed },
  ])('rejects for an oversized response $title', { tags: 'G6' }, async ({ id, closings: count, first }) => {
    const { peer, closings, overlong } = openPeer();
    const { answer } = peer.request('a', undefined);
    overlong({ bytes: 1_000, id });
    await expect(answer).rejects.toBeInstanceOf(first);
    expect(closings).toHaveLength(count);
  });

  it.each([
    {
      title: 'too large',
      say: ({ overlong }: ReturnType<typeof openPeer>) => overlong({ bytes: 1_000, id: 0, isRequest: true }),
    },
    {
      title: 'too deep',
      say: ({ receive }: ReturnType<typeof openPeer>) =>
        receive({ kind: 'invalid', id: 0, fault: { code: -32600, message: 'deep' } }),
    },
  ])('answers a request that is $title, and does not match it with a pending request', async ({ say: send }) => {
    const made = openPeer({ onInvalidMessage: () => 'answer' });
    const { answer } = made.peer.request('a', undefined);
    send(made);
    expect(made.sent.slice(1)).toMatchObject([{ kind: 'fault', id: 0 }]);
    made.receive({ kind: 'result', id: 0, result: 'ours' });
    expect(await answer).toMatchObject({ result: 'ours' });
  });

  it.each([
    { title: 'too large', say: ({ overlong }: ReturnType<typeof openPeer>) => overlong({ bytes: 1_000, id: 0 }) },
    {
      title: 'too deep',
      say: ({ receive }: ReturnType<typeof openPeer>) =>
        receive({ kind: 'invalid', id: 0, fault: { code: -32600, message: 'deep' }, isAnswer: true }),
    },
  ])('rejects the request for a response that is $title, and sends nothing', async ({ say: send }) => {
    const made = openPeer({ onInvalidMessage: () => 'answer' });
    const { answer } = made.peer.request('a', undefined);
    send(made);
    await expect(answer).rejects.toThrow();
    send(made); // the request is no longer pending
    expect(made.sent).toHaveLength(1);
  });

  it('rejects the request that an invalid message without a method answers', async () => {
    const made = openPeer({ onInvalidMessage: () => 'answer' });
    const { answer } = made.peer.request('a', undefined);
    const message = { kind: 'invalid', id: 0, fault: { code: -32600, message: 'odd' }, mayAnswer: true } as const;
    made.receive(message);
    await expect(answer).rejects.toThrow('its answer cannot be read: odd');
    expect(made.sent).toHaveLength(1);
    made.receive(message);
    expect(made.sent.slice(1)).toEqual([{ kind: 'fault', id: 0, fault: message.fault }]);
  });

  it('answers an oversized request even if invalid messages are skipped', () => {
    const { sent, overlong, closings } = openPeer();
    overlong({ bytes: 1_000, id: 'q', isRequest: true });
    expect(sent).toMatchObject([
      { kind: 'fault', id: 'q', fault: { message: 'a message of 1000 bytes is too large' } },
    ]);
    expect(closings).toEqual([]);
  });

  it('continues after an oversized notification', async () => {
    const { peer, closings, overlong, receive } = openPeer();
    const { answer } = peer.request('a', undefined);
    overlong({ bytes: 1_000, id: undefined, isRequest: true });
    receive({ kind: 'result', id: 0, result: 'ours' });
    expect([await answer, closings]).toMatchObject([{ result: 'ours' }, []]);
  });

  it('treats an oversized line as invalid if no request is pending', () => {
    const { closings, overlong } = openPeer();
    overlong({ bytes: 1_000, id: undefined });
    overlong({ bytes: 1_000, id: 77 });
    expect(closings).toEqual([]);
  });

  it('closes the channel if the other side sends requests and does not read', async () => {
    const { sent, closings, receive } = openPeer({}, 200 * 1024 * 1024);
    receive({ kind: 'request', id: 1, method: 'ping', params: undefined });
    await settled();
    expect({ sent, closings }).toEqual({ sent: [], closings: [undefined] });
  });
});
