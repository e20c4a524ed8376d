import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { gatewayWith, type HomeGateway, type Json, type LineClient } from '../support/gateway-harness.js';
import { type Machine, makeMachine } from '../support/machine.js';

// sealed-request-state.test.ts tests requestState.

const SCRIPTED = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/servers/scripted-server.mjs');
const HOUR_MS = 3_600_000;
/** The servers' own cursor for the second page. The servers do not check it; the gateway must. */
const SECOND = 'second-page';

/** A server with two pages of resources and of prompts. */
const inTwoPages = (of: string) => ({
  capabilities: { resources: {}, prompts: {} },
  'resources/list': { resources: [{ name: 'a', uri: `${of}://a` }], nextCursor: SECOND },
  [`resources/list ${SECOND}`]: { resources: [{ name: 'b', uri: `${of}://b` }] },
  'prompts/list': { prompts: [{ name: 'a' }], nextCursor: SECOND },
  [`prompts/list ${SECOND}`]: { prompts: [{ name: 'b' }] },
});

describe('a cursor', { tags: 'S11' }, () => {
  let files: Machine;
  let gateway: HomeGateway;
  let client: LineClient;
  const seen = () => files.path('~/seen');

  beforeAll(async () => {
    files = makeMachine();
    const entry = (name: string, words: readonly string[] = []) => {
      files.write({ [`~/${name}.json`]: JSON.stringify(inTwoPages(name)) });
      return { command: process.execPath, args: [SCRIPTED, files.path(`~/${name}.json`), ...words] };
    };
    gateway = await gatewayWith({ own: entry('own', ['--seen', seen()]), other: entry('other') });
  });
  beforeEach(async () => {
    client = gateway.connect('own');
    await client.initialize();
    rmSync(seen(), { force: true });
  });
  afterEach(() => void vi.useRealTimers());
  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
    files?.[Symbol.dispose]();
  });

  const cursorOf = async (of: LineClient, method = 'resources/list'): Promise<string> =>
    String(((await of.request(method)).result as Json).nextCursor);
  /** The cursors that the server received. */
  const arrived = (): unknown[] => {
    const lines = existsSync(seen()) ? readFileSync(seen(), 'utf8').split('\n').filter(Boolean) : [];
    return lines.map((line) => JSON.parse(line).params?.cursor).filter((cursor) => cursor !== undefined);
  };

  it('returns the next page each time, and the last page has no cursor', async () => {
    const cursor = await cursorOf(client);
    expect(cursor).not.toBe(SECOND);
    for (const _ of ['once', 'again'])
      expect((await client.request('resources/list', { cursor })).result).toEqual({
        resources: [{ name: 'b', uri: 'own://b' }],
      });
    expect(arrived()).toEqual([SECOND, SECOND]);
  });

  it('is valid for one hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const cursor = await cursorOf(client);
    vi.setSystemTime(Date.now() + HOUR_MS - 1_000);
    expect(await client.request('resources/list', { cursor })).toHaveProperty('result');
    vi.setSystemTime(Date.now() + 2_000);
    expect(await client.request('resources/list', { cursor })).toMatchObject({
      error: { code: -32602, message: 'the cursor has expired: restart the list' },
    });
    expect(arrived()).toEqual([SECOND]);
  });

  /** Another client with the same name, for this server or another. */
  const another = async (expose = 'own') => {
    const made = gateway.connect(expose);
    await made.initialize();
    return made;
  };

  it.each<{ title: string; method?: string; cursor: () => unknown }>([
    { title: 'of another client', cursor: async () => cursorOf(await another()) },
    { title: 'of another server', cursor: async () => cursorOf(await another('other')) },
    { title: 'of another list', cursor: () => cursorOf(client, 'prompts/list') },
    { title: 'in a request for another list', method: 'prompts/list', cursor: () => cursorOf(client) },
    { title: 'with a character appended', cursor: async () => `${await cursorOf(client)}x` },
    { title: 'with a character prepended', cursor: async () => `x${await cursorOf(client)}` },
    { title: 'with changed content', cursor: async () => changedInside(await cursorOf(client)) },
    { title: 'without its seal', cursor: async () => (await cursorOf(client)).split('.')[0] },
    { title: 'of the server, unsealed', cursor: () => SECOND },
    { title: 'that is empty', cursor: () => '' },
    { title: 'that is not a string', cursor: () => 7 },
  ])('is refused and not sent to the server: $title', async ({ method = 'resources/list', cursor }) => {
    expect(await client.request(method, { cursor: await cursor() })).toMatchObject({
      error: { code: -32602, message: 'the cursor is invalid for this client and list' },
    });
    expect(arrived()).toEqual([]);
  });
});

/** The same seal with a later expiry. */
function changedInside(cursor: string): string {
  const [body = '', seal] = cursor.split('.');
  const [expiresAt, page] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [number, string];
  return `${Buffer.from(JSON.stringify([expiresAt + HOUR_MS, page])).toString('base64url')}.${seal}`;
}
