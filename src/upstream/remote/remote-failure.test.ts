import { describe, expect, it } from 'vitest';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { type FailureContext, HttpStatusError, remoteFailure } from './remote-failure.js';

const CONTEXT: FailureContext = {
  secrets: ['canary-key-1'],
  access: { message: 'it requires a sign-in', hint: 'portolan login s' },
};
const withCode = (code: string) => Object.assign(new Error('connect 10.0.0.1:80'), { code });

describe('remoteFailure', () => {
  it.each([
    {
      title: 'an access error, with the status and a hint',
      error: new HttpStatusError(401, 'canary-key-1'),
      expected: {
        code: ErrorCode.ConnectionError,
        message: 'it requires a sign-in (HTTP 401)',
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
      title: 'a status without a body',
      error: new HttpStatusError(500, ''),
      expected: { message: 'it answered 500', status: 500 },
    },
    {
      title: 'a network error',
      error: withCode('ECONNRESET'),
      expected: { message: 'the server could not be reached (ECONNRESET)' },
    },
    {
      title: 'a certificate that is not trusted',
      error: withCode('DEPTH_ZERO_SELF_SIGNED_CERT'),
      expected: { message: 'the server could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT)' },
    },
    {
      title: 'a key that the server repeats, masked',
      error: new Error('got canary-key-1'),
      expected: { message: 'got [secret]' },
    },
  ])('describes $title', async ({ error, expected }) => {
    expect(await remoteFailure(error, CONTEXT)).toMatchObject(expected);
  });

  it('shows no part of a key at the end of a truncated text', async () => {
    for (let before = 280; before < 305; before += 1) {
      const { message } = await remoteFailure(new Error(`${'x'.repeat(before)}canary-key-1 and more`), CONTEXT);
      expect(message).not.toContain('cana');
      expect(message.length).toBeLessThan(400);
    }
  });

  it('passes access errors to `explain`, but no network errors', async () => {
    const told = new PortolanError(ErrorCode.ConnectionError, 'sign in');
    const context = { ...CONTEXT, explain: async () => told };
    expect(await remoteFailure(new HttpStatusError(401, ''), context)).toBe(told);
    expect(await remoteFailure(withCode('ENOTFOUND'), context)).not.toBe(told);
  });
});
