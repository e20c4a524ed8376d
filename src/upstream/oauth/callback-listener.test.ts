import { createServer, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { CallbackListener } from './callback-listener.js';

const soon = () => AbortSignal.timeout(200);

/** A request as from a browser or a web page, with any Host header. */
function ask(url: URL, { method = 'GET', host = url.host } = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers: { host }, agent: false }, async (answer) => {
      let text = '';
      for await (const part of answer.setEncoding('utf8')) text += part;
      resolve({ status: answer.statusCode ?? 0, text });
    });
    asking.on('error', reject).end();
  });
}

function answerTo(listener: CallbackListener, said: Record<string, string>): URL {
  const url = new URL(listener.redirect);
  for (const [name, value] of Object.entries({ state: listener.state, ...said })) url.searchParams.set(name, value);
  return url;
}

describe('CallbackListener', () => {
  it('receives the code and the issuer', async () => {
    await using listener = await CallbackListener.open();
    expect(await ask(answerTo(listener, { code: 'c', iss: 'https://a' }))).toMatchObject({ status: 200 });
    expect(await listener.wait(soon())).toEqual({ code: 'c', iss: 'https://a' });
  });

  it.each<{ title: string; spoil: (url: URL) => void; more?: { method?: string; host?: string } }>([
    { title: 'another state', spoil: (url) => url.searchParams.set('state', '0'.repeat(64)) },
    { title: 'no state', spoil: (url) => url.searchParams.delete('state') },
    { title: 'two states', spoil: (url) => url.searchParams.append('state', 'x') },
    { title: 'two codes', spoil: (url) => url.searchParams.append('code', 'x') },
    { title: 'two issuers', spoil: (url) => (url.search += '&iss=a&iss=b') },
    { title: 'no code', spoil: (url) => url.searchParams.delete('code') },
    {
      title: 'another path',
      spoil: (url) => {
        url.pathname = '/elsewhere';
      },
    },
    { title: 'another method', spoil: () => undefined, more: { method: 'POST' } },
    { title: 'another name for this machine (DNS rebinding)', spoil: () => undefined, more: { host: 'evil.example' } },
  ])('ignores a request with $title and still receives the right one', async ({ spoil, more }) => {
    await using listener = await CallbackListener.open();
    const url = answerTo(listener, { code: 'c' });
    spoil(url);
    expect(await ask(url, more)).toMatchObject({ status: 400 });
    await expect(listener.wait(soon())).rejects.toMatchObject({
      code: 'CANCELLED',
      message: 'the sign-in timed out',
    });
    await ask(answerTo(listener, { code: 'right' }));
    expect(await listener.wait(soon())).toEqual({ code: 'right' });
  });

  it.each([
    ['access_denied', 'the authorization server answered access_denied'],
    ['<script>alert(1)</script>', 'the authorization server answered an error'],
  ])('ends with the error %s', async (error, message) => {
    await using listener = await CallbackListener.open();
    const { text } = await ask(answerTo(listener, { error }));
    expect(text).not.toContain('script');
    await expect(listener.wait(soon())).rejects.toMatchObject({ message });
  });

  it('listens on the registered port, or reports that it is in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const agreed = new URL(`http://localhost:${typeof address === 'object' && address ? address.port : 0}/back`);
    await expect(CallbackListener.open(agreed)).rejects.toMatchObject({
      message: expect.stringContaining(agreed.port),
    });
    await new Promise((resolve) => server.close(resolve));
    await using listener = await CallbackListener.open(agreed);
    expect(listener.redirect.href).toBe(agreed.href);
    await ask(answerTo(listener, { code: 'c' }));
    expect(await listener.wait(soon())).toEqual({ code: 'c' });
  });
});
