import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../base/index.js';
import { Guest } from './guest.js';
import { Sessions } from './guest-sessions.js';

const START_MS = 60_000;

/** An interpreter that does nothing until it is killed. */
function idleGuest(): Guest {
  let end: (how: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  return new Guest(
    { pid: undefined, input, output, errors, privateErrors: false, ended, kill: () => end('killed') },
    START_MS,
    silentLog,
  );
}

describe('Sessions', () => {
  it('returns the interpreter of the session', () => {
    const sessions = new Sessions(2);
    const guest = idleGuest();
    sessions.keep(sessions.open('a'), guest);
    expect(sessions.stateOf(sessions.open('a'))).toEqual({ guest, lost: false });
    guest.kill();
  });

  it('ends the least recently used session, and reports the lost state once', () => {
    const sessions = new Sessions(2);
    const guests = ['a', 'b', 'a', 'c'].map((key) => {
      const session = sessions.open(key);
      const guest = session.guest ?? idleGuest();
      sessions.keep(session, guest);
      return guest;
    });
    const [, b] = guests;
    expect(guests.map(({ alive }) => alive)).toEqual([true, false, true, true]);
    expect([b?.alive, sessions.stateOf(sessions.open('b')).lost, sessions.stateOf(sessions.open('b')).lost]).toEqual([
      false,
      true,
      false,
    ]);
    for (const guest of guests) guest.kill();
  });

  it('reports that an idle interpreter died', () => {
    const sessions = new Sessions(2);
    const guest = idleGuest();
    sessions.keep(sessions.open('a'), guest);
    guest.kill();
    expect(sessions.stateOf(sessions.open('a'))).toEqual({ guest: undefined, lost: true });
  });

  it('does not evict a session for sessions without an interpreter', () => {
    const sessions = new Sessions(2);
    const guest = idleGuest();
    sessions.keep(sessions.open('a'), guest);
    for (let n = 0; n < 100; n += 1) sessions.keep(sessions.open(`empty ${n}`), undefined);
    expect(guest.alive).toBe(true);
    guest.kill();
  });

  it('ends a session after the idle timeout', async () => {
    const sessions = new Sessions(2, 10);
    const guest = idleGuest();
    sessions.keep(sessions.open('a'), guest);
    await expect.poll(() => guest.alive, { timeout: 5_000 }).toBe(false);
    expect(sessions.stateOf(sessions.open('a')).lost).toBe(true);
  });
});
