import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { gatewayWith, type HomeGateway, type Json, type LineClient } from '../support/gateway-harness.js';
import { type Machine, makeMachine } from '../support/machine.js';

// What a requestState promises is in s11.test.ts.

const SCRIPTED = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/servers/scripted-server.mjs');
const HOUR_MS = 3_600_000;
/** The servers' own word for the second page. They do not look who says it: that is for the gateway to do. */
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
  /** The cursors that came to the server. */
  const arrived = (): unknown[] => {
    const lines = existsSync(seen()) ? readFileSync(seen(), 'utf8').split('\n').filter(Boolean) : [];
    return lines.map((line) => JSON.parse(line).params?.cursor).filter((cursor) => cursor !== undefined);
  };

  it('brings the next page, as often as it is asked for, and ends with the last', async () => {
    const cursor = await cursorOf(client);
    expect(cursor).not.toBe(SECOND);
    for (const _ of ['once', 'again'])
      expect((await client.request('resources/list', { cursor })).result).toEqual({
        resources: [{ name: 'b', uri: 'own://b' }],
      });
    expect(arrived()).toEqual([SECOND, SECOND]);
  });

  it('is good until its hour is over', async () => {
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

  /** Another client of the same name, of this server or of another. */
  const another = async (expose = 'own') => {
    const made = gateway.connect(expose);
    await made.initialize();
    return made;
  };

  it.each<{ title: string; method?: string; cursor: () => unknown }>([
    { title: 'that another client was given', cursor: async () => cursorOf(await another()) },
    { title: 'that another server gave', cursor: async () => cursorOf(await another('other')) },
    { title: 'that was given for another list', cursor: () => cursorOf(client, 'prompts/list') },
    { title: 'in another list than its own', method: 'prompts/list', cursor: () => cursorOf(client) },
    { title: 'with something at its end', cursor: async () => `${await cursorOf(client)}x` },
    { title: 'with something at its beginning', cursor: async () => `x${await cursorOf(client)}` },
    { title: 'whose inside was changed', cursor: async () => changedInside(await cursorOf(client)) },
    { title: 'without its seal', cursor: async () => (await cursorOf(client)).split('.')[0] },
    { title: 'as the server wrote it', cursor: () => SECOND },
    { title: 'that is empty', cursor: () => '' },
    { title: 'that is no text', cursor: () => 7 },
  ])('is refused, and does not come to the server, $title', async ({ method = 'resources/list', cursor }) => {
    expect(await client.request(method, { cursor: await cursor() })).toMatchObject({
      error: { code: -32602, message: 'the cursor is invalid for this client and list' },
    });
    expect(arrived()).toEqual([]);
  });
});

/** The same seal around a later end. */
function changedInside(cursor: string): string {
  const [body = '', seal] = cursor.split('.');
  const [expiresAt, page] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [number, string];
  return `${Buffer.from(JSON.stringify([expiresAt + HOUR_MS, page])).toString('base64url')}.${seal}`;
}
