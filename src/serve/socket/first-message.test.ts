import { expect, it } from 'vitest';
import type { ChannelListener, Outgoing } from '../../rpc/index.js';
import { FirstMessage } from './first-message.js';

it('passes messages through once a listener is attached', async () => {
  const sent: [Outgoing, boolean | undefined][] = [];
  let listener: ChannelListener | undefined;
  const road = new FirstMessage({
    backlogBytes: 7,
    start: (given) => {
      listener = given;
    },
    send: (message, isLast) => sent.push([message, isLast]),
    close: async () => listener?.onClose(undefined),
  });
  const [hello, next] = ['hello', 'next'].map(
    (method) => ({ kind: 'notification', method, params: undefined }) as const,
  );
  if (!hello || !next) throw new Error('there are two');
  listener?.message(hello);
  expect(await road.first).toEqual(hello);
  const heard: unknown[] = [];
  road.start({
    message: (message) => heard.push(message),
    overlong: (line) => heard.push(line),
    undelivered: (id) => heard.push(id),
    onClose: () => heard.push('closed'),
  });
  await Promise.resolve();
  listener?.message(next);
  road.send(hello, true);
  road.send(next);
  await road.close();
  expect({ heard, sent, backlog: road.backlogBytes }).toEqual({
    heard: [hello, next, 'closed'],
    sent: [
      [hello, true],
      [next, undefined],
    ],
    backlog: 7,
  });
});
