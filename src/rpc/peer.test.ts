import { describe, expect, it } from 'vitest';
import type { Channel, ChannelListener, Outgoing } from './channel.js';
import type { Incoming } from './message.js';
import { AnswerTooLarge, ChannelClosed, Peer, type PeerHandlers, RpcError } from './peer.js';

/** A road whose other end is the test. */
function road(
  said: Partial<PeerHandlers> = {},
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
    noise: () => 'skip',
    closed: (reason) => closings.push(reason),
    fault: (error) => faults.push(error),
    ...said,
  });
  if (!listener) throw new Error('the peer does not listen');
  const { message, overlong, undelivered, onClose: closed } = listener;
  return { peer, sent, last, faults, closings, hear: (one: Incoming) => message(one), overlong, undelivered, closed };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Peer', () => {
  it('finds each answer by its id, in whatever order they come', async () => {
    const { peer, sent, hear } = road();
    const [first, second] = [peer.request('a', { n: 1 }), peer.request('b', undefined)];
    expect(sent).toEqual([
      { kind: 'request', id: 0, method: 'a', params: { n: 1 } },
      { kind: 'request', id: 1, method: 'b', params: undefined },
    ]);
    hear({ kind: 'result', id: 1, result: 'of b' });
    hear({ kind: 'fault', id: 0, fault: { code: -5, message: 'of a', data: 9 } });
    expect(await second.answer).toEqual({ kind: 'result', id: 1, result: 'of b' });
    const error = await first.answer.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ fault: { code: -5, message: 'of a', data: 9 } });
    expect(peer.pendingCount).toBe(0);
  });

  it('says of a request or an answer that nothing follows, where no other is open', async () => {
    const answers: (() => void)[] = [];
    const { peer, last, hear } = road({
      request: ({ method }) => {
        if (method === 'bad') throw new RpcError(-1, 'no');
        return new Promise((resolve) => answers.push(() => resolve({ value: {} })));
      },
    });
    const [first] = [peer.request('a', undefined), peer.request('b', undefined)];
    hear({ kind: 'result', id: 1, result: 1 });
    hear({ kind: 'result', id: first.id, result: 1 });
    void peer.request('c', undefined);
    for (const id of [1, 2, 3]) hear({ kind: 'request', id, method: 'm', params: undefined });
    for (const answer of answers.splice(0)) answer();
    await settled();
    hear({ kind: 'request', id: 4, method: 'bad', params: undefined });
    await settled();
    hear({ kind: 'request', id: 5, method: 'm', params: undefined });
    answers.pop()?.();
    await settled();
    expect(last).toEqual([
      ...['request', undefined, 'request'], // alone, with another, alone again
      ...[undefined, undefined, 'result'],
      ...[undefined, 'result'], // a refusal, and alone again after it
    ]);
  });

  it('waits for no answer to what could not be written', async () => {
    const { peer, last } = road({}, 0, (message) => {
      if (message.kind === 'request' && message.method === 'bad') throw new TypeError('cannot be written');
    });
    await expect(peer.request('bad', { n: 1n }).answer).rejects.toThrow('cannot be written');
    expect(peer.pendingCount).toBe(0);
    void peer.request('good', undefined);
    expect(last).toEqual(['request']);
  });

  it('tells one who is there to be told, at once and once', async () => {
    const { peer, hear } = road();
    const told: string[] = [];
    const pending = {
      resolve: () => void told.push('answer'),
      reject: ({ message }: Error) => void told.push(message),
    };
    const ask = () => peer.ask(peer.nextId(), pending, 'a', undefined, {});
    ask();
    for (const _ of [1, 2]) hear({ kind: 'result', id: 0, result: 1 });
    expect(told).toEqual(['answer']);
    ask();
    await peer.close();
    ask();
    expect(told).toEqual(['answer', 'the connection was lost', 'the connection is closed']);
  });

  it('drops answers that nobody waits for, or not any more', async () => {
    const { peer, sent, hear } = road();
    const { id, answer } = peer.request('a', undefined);
    peer.forget(id, new Error('enough'));
    peer.forget(id, new Error('again'));
    await expect(answer).rejects.toThrow('enough');
    hear({ kind: 'result', id, result: 1 });
    hear({ kind: 'result', id: 99, result: 1 });
    hear({ kind: 'result', id: '0', result: 1 });
    hear({ kind: 'fault', id: undefined, fault: { code: 1, message: '' } });
    expect(sent).toHaveLength(1);
    expect(peer.pendingCount).toBe(0);
  });

  it('does not take a text for the number that it looks like', async () => {
    const { peer, hear } = road();
    const { answer } = peer.request('a', undefined);
    hear({ kind: 'result', id: '0', result: 'wrong' });
    hear({ kind: 'result', id: 0, result: 'right' });
    expect((await answer).result).toBe('right');
  });

  it.each([
    { title: 'a value', request: async () => ({ value: 1 }), answer: { kind: 'result', id: 7, answer: { value: 1 } } },
    {
      title: 'an error for the other side',
      request: async () => {
        throw new RpcError(-9, 'so', { why: 1 });
      },
      answer: { kind: 'fault', id: 7, fault: { code: -9, message: 'so', data: { why: 1 } } },
    },
  ])('answers a request with $title', async ({ request, answer }) => {
    const { sent, faults, hear } = road({ request });
    hear({ kind: 'request', id: 7, method: 'm', params: undefined });
    await settled();
    expect({ sent, faults }).toEqual({ sent: [answer], faults: [] });
  });

  it('tells a fault of ours without its words, and us with them', async () => {
    const broken = new Error('the password is hunter2');
    const { sent, faults, hear } = road({ request: () => Promise.reject(broken) });
    hear({ kind: 'request', id: 7, method: 'm', params: undefined });
    await settled();
    expect(sent).toEqual([{ kind: 'fault', id: 7, fault: { code: -32603, message: 'internal error' } }]);
    expect(faults).toEqual([broken]);
  });

  it('outlives a listener that throws', () => {
    const broken = new Error('x');
    const { faults, hear } = road({
      notification: () => {
        throw broken;
      },
    });
    hear({ kind: 'notification', method: 'n', params: undefined });
    expect(faults).toEqual([broken]);
  });

  it.each([
    { noise: 'answer' as const, id: 4, sent: [{ kind: 'fault', id: 4, fault: { code: 1, message: 'what' } }] },
    {
      noise: 'answer' as const,
      id: undefined,
      sent: [{ kind: 'fault', id: null, fault: { code: 1, message: 'what' } }],
    },
    { noise: 'skip' as const, id: 4, sent: [] },
  ])('on noise with id $id does what it is told: $noise', ({ noise, id, sent: expected }) => {
    const { sent, hear } = road({ noise: () => noise });
    hear({ kind: 'invalid', id, fault: { code: 1, message: 'what' } });
    expect(sent).toEqual(expected);
  });

  it('rejects everything that waits, once, when the other side is gone, and everything after', {
    tags: 'G5',
  }, async () => {
    const { peer, sent, closings, closed, hear } = road();
    const waiting = Array.from({ length: 100 }, () => peer.request('a', undefined).answer);
    const ends = Promise.allSettled(waiting);
    const reason = new Error('it exited with code 7');
    closed(reason);
    closed(new Error('a second time'));
    hear({ kind: 'result', id: 3, result: 'too late' });
    const outcomes = await ends;
    expect(outcomes.filter((one) => one.status === 'rejected' && one.reason instanceof ChannelClosed)).toHaveLength(
      100,
    );
    expect(closings).toEqual([reason]);
    await expect(peer.request('late', undefined).answer).rejects.toThrow('closed');
    expect({ sent: sent.length, pending: peer.pendingCount }).toEqual({ sent: 100, pending: 0 });
  });

  it('tells one request that it was not delivered, and no other', async () => {
    const { peer, undelivered, hear } = road();
    const [lost, kept] = [peer.request('a', undefined), peer.request('b', undefined)];
    undelivered(lost.id, new Error('500'));
    hear({ kind: 'result', id: kept.id, result: 1 });
    await expect(lost.answer).rejects.toThrow('500');
    expect((await kept.answer).result).toBe(1);
  });

  it.each([
    { title: 'who waits for it', id: 0, closings: 0, first: AnswerTooLarge },
    { title: 'everyone, if it cannot be said whose it is', id: undefined, closings: 1, first: ChannelClosed },
  ])('tells of an answer that was too large to $title', { tags: 'G6' }, async ({ id, closings: count, first }) => {
    const { peer, closings, overlong } = road();
    const { answer } = peer.request('a', undefined);
    overlong({ bytes: 1_000, id });
    await expect(answer).rejects.toBeInstanceOf(first);
    expect(closings).toHaveLength(count);
  });

  it.each([
    {
      title: 'too large',
      say: ({ overlong }: ReturnType<typeof road>) => overlong({ bytes: 1_000, id: 0, isRequest: true }),
    },
    {
      title: 'too deep',
      say: ({ hear }: ReturnType<typeof road>) =>
        hear({ kind: 'invalid', id: 0, fault: { code: -32600, message: 'deep' } }),
    },
  ])('answers a request that is $title, and takes it for no answer to one of ours', async ({ say }) => {
    const made = road({ noise: () => 'answer' });
    const { answer } = made.peer.request('a', undefined);
    say(made);
    expect(made.sent.slice(1)).toMatchObject([{ kind: 'fault', id: 0 }]);
    made.hear({ kind: 'result', id: 0, result: 'ours' });
    expect(await answer).toMatchObject({ result: 'ours' });
  });

  it.each([
    { title: 'too large', say: ({ overlong }: ReturnType<typeof road>) => overlong({ bytes: 1_000, id: 0 }) },
    {
      title: 'too deep',
      say: ({ hear }: ReturnType<typeof road>) =>
        hear({ kind: 'invalid', id: 0, fault: { code: -32600, message: 'deep' }, isAnswer: true }),
    },
  ])('tells who waits of an answer that is $title, and the other side nothing', async ({ say }) => {
    const made = road({ noise: () => 'answer' });
    const { answer } = made.peer.request('a', undefined);
    say(made);
    await expect(answer).rejects.toThrow();
    say(made); // nobody waits for it any more
    expect(made.sent).toHaveLength(1);
  });

  it('answers a question that is too large also where noise is passed over', () => {
    const { sent, overlong, closings } = road();
    overlong({ bytes: 1_000, id: 'q', isRequest: true });
    expect(sent).toMatchObject([
      { kind: 'fault', id: 'q', fault: { message: 'a message of 1000 bytes is too large' } },
    ]);
    expect(closings).toEqual([]);
  });

  it('goes on where what is too large is a notification: nobody waits for it', async () => {
    const { peer, closings, overlong, hear } = road();
    const { answer } = peer.request('a', undefined);
    overlong({ bytes: 1_000, id: undefined, isRequest: true });
    hear({ kind: 'result', id: 0, result: 'ours' });
    expect([await answer, closings]).toMatchObject([{ result: 'ours' }, []]);
  });

  it('takes a long line of somebody to whom nobody speaks for noise', () => {
    const { closings, overlong } = road();
    overlong({ bytes: 1_000, id: undefined });
    overlong({ bytes: 1_000, id: 77 });
    expect(closings).toEqual([]);
  });

  it('cuts off who asks on and on and never reads an answer', async () => {
    const { sent, closings, hear } = road({}, 200 * 1024 * 1024);
    hear({ kind: 'request', id: 1, method: 'ping', params: undefined });
    await settled();
    expect({ sent, closings }).toEqual({ sent: [], closings: [undefined] });
  });
});
