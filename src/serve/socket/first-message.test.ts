import { expect, it } from 'vitest';
import type { ChannelListener, Outgoing } from '../../rpc/index.js';
import { FirstMessage } from './first-message.js';

it('passes messages through once a listener is attached', async () => {
  const sent: [Outgoing, boolean | undefined][] = [];
  let listener: ChannelListener | undefined;
  const channel = new FirstMessage({
    backlogBytes: 7,
    start: (given) => {
      listener = given;
    },
    send: (message, isLast) => sent.push([message, isLast]),
    close: async () => listener?.onClose(undefined),
  });
  const [firstMessage, next] = ['hello', 'next'].map(
    (method) => ({ kind: 'notification', method, params: undefined }) as const,
  );
  if (!firstMessage || !next) throw new Error('there are two');
  listener?.message(firstMessage);
  expect(await channel.first).toEqual(firstMessage);
  const received: unknown[] = [];
  channel.start({
    message: (message) => received.push(message),
    overlong: (line) => received.push(line),
    undelivered: (id) => received.push(id),
    onClose: () => received.push('closed'),
  });
  await Promise.resolve();
  listener?.message(next);
  channel.send(firstMessage, true);
  channel.send(next);
  await channel.close();
  expect({ heard: received, sent, backlog: channel.backlogBytes }).toEqual({
    heard: [firstMessage, next, 'closed'],
    sent: [
      [firstMessage, true],
      [next, undefined],
    ],
    backlog: 7,
  });
});
