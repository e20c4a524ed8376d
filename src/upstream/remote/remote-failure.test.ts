import { describe, expect, it } from 'vitest';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { type FailureContext, HttpStatusError, remoteFailure } from './remote-failure.js';

const CONTEXT: FailureContext = {
  secrets: ['canary-key-1'],
  access: { message: 'it wants a sign-in', hint: 'portolan login s' },
};
const withCode = (code: string) => Object.assign(new Error('connect 10.0.0.1:80'), { code });

describe('remoteFailure', () => {
  it.each([
    {
      title: 'a refusal, with the status and what to do',
      error: new HttpStatusError(401, 'canary-key-1'),
      expected: {
        code: ErrorCode.ConnectionError,
        message: 'it wants a sign-in (HTTP 401)',
        hint: 'portolan login s',
        status: 401,
      },
    },
    {
      title: 'another status',
      error: new HttpStatusError(404, ' gone\u0007 '),
      expected: { message: 'it answered 404: gone', status: 404 },
    },
    {
      title: 'a status alone',
      error: new HttpStatusError(500, ''),
      expected: { message: 'it answered 500', status: 500 },
    },
    {
      title: 'a failure of the network',
      error: withCode('ECONNRESET'),
      expected: { message: 'the server could not be reached (ECONNRESET)' },
    },
    {
      title: 'a certificate that is not trusted',
      error: withCode('DEPTH_ZERO_SELF_SIGNED_CERT'),
      expected: { message: 'the server could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT)' },
    },
    {
      title: 'a key that the server repeats',
      error: new Error('got canary-key-1'),
      expected: { message: 'got [secret]' },
    },
  ])('words $title', async ({ error, expected }) => {
    expect(await remoteFailure(error, CONTEXT)).toMatchObject(expected);
  });

  it('shows no half of a key where a long text is cut', async () => {
    for (let before = 280; before < 305; before += 1) {
      const { message } = await remoteFailure(new Error(`${'x'.repeat(before)}canary-key-1 and more`), CONTEXT);
      expect(message).not.toContain('cana');
      expect(message.length).toBeLessThan(400);
    }
  });

  it('leaves to whoever knows of signing in what is about that, and nothing that is about the network', async () => {
    const told = new PortolanError(ErrorCode.ConnectionError, 'sign in');
    const context = { ...CONTEXT, explain: async () => told };
    expect(await remoteFailure(new HttpStatusError(401, ''), context)).toBe(told);
    expect(await remoteFailure(withCode('ENOTFOUND'), context)).not.toBe(told);
  });
});
