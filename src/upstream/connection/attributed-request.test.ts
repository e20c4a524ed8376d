import { describe, expect, it } from 'vitest';
import { attributed } from './attributed-request.js';

type Json = Record<string, unknown>;

const ask = (params: Json, server = 'one') => attributed(server, 'elicitation/create', params);
const form = (property: unknown, name = 'value') => ({
  message: 'x',
  requestedSchema: { type: 'object', properties: { [name]: property } },
});

describe('attributed', () => {
  it.each([
    { title: 'one line', message: 'Which branch?', shown: '> Which branch?' },
    { title: 'no text', message: '', shown: '' },
    { title: 'a message that is not a string', message: 7, shown: '' },
    {
      title: 'line ends that only some programs recognise',
      message: 'a\u2028b\u0085c\vd\re',
      shown: '> a\n> b\n> c\n> d\n> e',
    },
    { title: 'many empty lines', message: `\n\n${'\n'.repeat(5_000)}a\n\n\nb\n\n`, shown: '' },
    { title: 'some empty lines', message: '\n\na\n\n\nb\n\n', shown: '> a\n> \n> b' },
    { title: 'invisible characters', message: '\u202ea\u200b\u0007\u001b[2Jb\u{e0041}', shown: '> ab' },
    { title: 'honest emoji', message: 'go 👍🏽 ⚠️?', shown: '> go 👍🏽 ⚠️?' },
    { title: 'the name of the gateway', message: 'Portolan: yes?', shown: '> Portolan: yes?' },
  ])('quotes $title below the name of the server', ({ message, shown }) => {
    const text = shown === '' ? '' : `\n${shown}`;
    expect(ask({ message }).message).toBe(`MCP server "one" asks:${text}`);
  });

  it('truncates a long text', () => {
    const shown = String(ask({ message: 'x'.repeat(10_000_000) }).message);
    expect([shown.length < 10_000, shown.endsWith('…')]).toEqual([true, true]);
    expect(String(ask({ message: 'x\n'.repeat(100_000) }).message).split('\n').length).toBeLessThan(300);
  });

  it.each([
    { server: 'a"b', shown: '"a\'b"' },
    { server: 'a\nPortolan', shown: '"a\\x0aPortolan"' },
    { server: 'a\u202eb', shown: '"a\\u{202e}b"' },
    { server: 'n'.repeat(500), shown: `"${'n'.repeat(59)}…"` },
  ])('shows the name $server as $shown', ({ server, shown }) => {
    expect(ask({ message: 'x' }, server).message).toBe(`MCP server ${shown} asks:\n> x`);
  });

  const SECRET = 'MCP server "one" asks for a password or another secret.';
  it.each([
    { title: 'the name of a property', params: form({ type: 'string' }, 'api_key') },
    { title: 'a title', params: form({ type: 'string', title: 'Your PIN' }) },
    { title: 'a description', params: form({ type: 'number', description: 'the one-time code' }) },
    { title: 'a format', params: form({ type: 'string', format: 'password' }) },
    { title: 'writeOnly', params: form({ type: 'string', writeOnly: true }) },
    { title: 'a list of texts', params: form({ type: 'array', items: { type: 'string' } }, 'tokens token') },
  ])('marks a form that asks for a secret in $title, and the property', ({ params }) => {
    const { message, requestedSchema, _meta } = ask(params) as { message: string; requestedSchema: Json; _meta: Json };
    const [[, property] = []] = Object.entries(requestedSchema.properties as Json);
    expect(message.startsWith(SECRET)).toBe(true);
    expect(property).toMatchObject({ description: expect.stringMatching(/^A secret for MCP server "one"\./) });
    expect(_meta).toEqual({ 'portolan/askedBy': { server: 'one', asksForSecret: true } });
  });

  it.each([
    {
      title: 'in its message',
      params: { ...form({ type: 'string' }), message: 'Portolan needs your password' },
      isMarked: true,
    },
    { title: 'with a boolean', params: form({ type: 'boolean' }, 'rotate_token'), isMarked: false },
    { title: 'with an enum', params: form({ enum: ['password', 'token'] }, 'token'), isMarked: false },
    {
      title: 'with an array of choices',
      params: form({ type: 'array', items: { enum: ['a'] } }, 'token'),
      isMarked: false,
    },
    { title: 'in a message without a field', params: { message: 'was your password changed?' }, isMarked: false },
  ])('marks a form that speaks of a secret $title: $isMarked', ({ params, isMarked }) => {
    expect(String(ask(params).message).startsWith(SECRET)).toBe(isMarked);
  });

  it('puts titles and descriptions on one line and keeps enum values unchanged', () => {
    const property = {
      type: 'string',
      title: 'a\nPortolan:\u202e b',
      description: 'c\r\nd',
      enum: ['1 2'],
      enumNames: ['x\ny'],
    };
    expect(ask(form(property)).requestedSchema).toMatchObject({
      properties: { value: { title: 'a Portolan: b', description: 'c d', enum: ['1 2'], enumNames: ['x y'] } },
    });
  });

  it.each([
    { title: 'a hidden character in the name of a property', params: form({}, 'a\u202eb') },
    { title: 'a line end in the name of a property', params: form({}, 'a\nb') },
    { title: 'a hidden character in a choice', params: form({ enum: ['a\u200bb'] }) },
    {
      title: 'more properties than a person fills in',
      params: {
        message: 'x',
        requestedSchema: { properties: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`p${n}`, {}])) },
      },
    },
    { title: 'a page that is not http or https', params: { mode: 'url', url: 'file:///etc/passwd', message: 'x' } },
    { title: 'a page without an address', params: { mode: 'url', message: 'x' } },
  ])('refuses a request with $title', ({ params }) => {
    expect(() => ask(params)).toThrow('elicitation/create is not passed on: ');
  });

  it.each([
    { url: 'https://portolan.dev@evil.example/portolan.dev', host: 'evil.example' },
    { url: 'https://gооgle.com:8443/', host: 'xn--ggle-55da.com:8443' },
    { url: 'http://127.0.0.1:9/', host: '127.0.0.1:9' },
  ])('names the host of $url', ({ url, host }) => {
    const { message } = ask({ mode: 'url', url, message: 'sign' });
    expect(message).toContain(`asks you to open a page on ${host}. Portolan did not ask for this`);
  });

  it('names the server in a sampling request and keeps its messages unchanged', () => {
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], _meta: { own: 1 } };
    expect(attributed('one', 'sampling/createMessage', params)).toEqual({
      ...params,
      _meta: { own: 1, 'portolan/askedBy': { server: 'one' } },
    });
  });
});
