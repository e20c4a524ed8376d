import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { configure, type StdioClient, startsIn, until } from '../support/client-over-stdio.js';
import { killDaemon, makeDaemonSetup } from '../support/daemon-harness.js';

type Json = Record<string, unknown>;

const SERVER = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/servers/watched-server.mjs');
const URI = 'test://a';
const OUTER = `portolan://one/${URI}`;

/** A daemon with one server that has resources, and a file that makes the server refuse requests. */
function watchedSetup() {
  const setup = makeDaemonSetup();
  const [starts, refusal] = [join(setup.machine.home, 'starts'), join(setup.machine.home, 'refusal')];
  const mcpBridge = { reconnect: { maxAttempts: 5, initialDelayMs: 10 } };
  configure(setup.machine, { one: { command: process.execPath, args: [SERVER, starts, refusal] } }, { mcpBridge });
  return { setup, starts, refusal };
}

const received = (client: StdioClient, method: string): Json[] =>
  client.notifications.filter((one) => one.method === `notifications/${method}`).map(({ params }) => params as Json);
const receivedSoon = (client: StdioClient, method: string, count = 1) =>
  until(
    () => received(client, method),
    (all) => all.length >= count,
  );
const stateOf = async (client: StdioClient) => (await client.execute('one', 'state')).structuredContent as Json;
const startedTwice = (starts: string) =>
  until(
    () => startsIn(starts),
    (pids) => pids.length >= 2,
  );

describe('after the daemon was killed,', () => {
  it('the next daemon restores the log level and the subscriptions of the client', async () => {
    const { setup } = watchedSetup();
    await using _setup = setup;
    await using client = await setup.client();
    await client.request('logging/setLevel', { level: 'error' });
    await client.request('resources/subscribe', { uri: OUTER });
    const { pid } = await stateOf(client);
    await killDaemon(setup);
    const after = await until(
      () => stateOf(client).catch((): Json => ({})),
      (state) => state.pid !== undefined && state.pid !== pid,
    );
    expect(after.subscribed).toEqual([URI]);
    await client.execute('one', 'touch', { uri: URI });
    await client.execute('one', 'log');
    expect(await receivedSoon(client, 'resources/updated')).toEqual([{ uri: OUTER }]);
    expect(await receivedSoon(client, 'message')).toEqual([{ level: 'error', data: 'at error' }]);
  });

  it('the client is notified of a subscription that was refused, with the reason', async () => {
    const { setup, refusal } = watchedSetup();
    await using _setup = setup;
    await using client = await setup.client();
    await client.request('resources/subscribe', { uri: OUTER });
    writeFileSync(refusal, 'subscriptions');
    await killDaemon(setup);
    const [notice] = await receivedSoon(client, 'message');
    expect(notice).toEqual({
      level: 'error',
      logger: 'portolan',
      data: `Portolan reconnected and could not restore the subscription to ${OUTER} (no more subscriptions). Send the request again.`,
    });
    expect(client.stderr).toContain('not restored after the daemon was lost');
    rmSync(refusal);
    await client.request('resources/subscribe', { uri: OUTER });
    await client.execute('one', 'touch', { uri: URI });
    expect(await receivedSoon(client, 'resources/updated')).toEqual([{ uri: OUTER }]);
  });
});

describe('after a server has exited,', () => {
  it('it is started again for a client with a subscription', async () => {
    const { setup, starts } = watchedSetup();
    await using _setup = setup;
    await using client = await setup.client();
    await client.request('resources/subscribe', { uri: OUTER });
    await client.execute('one', 'crash').catch(() => undefined);
    await startedTwice(starts);
    expect(await stateOf(client)).toMatchObject({ subscribed: [URI] });
    await client.execute('one', 'touch', { uri: URI });
    expect(await receivedSoon(client, 'resources/updated')).toEqual([{ uri: OUTER }]);
    expect(startsIn(starts)).toHaveLength(2);
  });

  it.each([
    { title: 'refuses the subscription', text: 'subscriptions', why: 'no more subscriptions' },
    { title: 'does not start', text: 'start', why: 'one did not start: ' },
  ])('the client is notified once if the server $title', async ({ text, why }) => {
    const { setup, refusal, starts } = watchedSetup();
    await using _setup = setup;
    await using client = await setup.client();
    await using other = await setup.client();
    await client.request('resources/subscribe', { uri: OUTER });
    writeFileSync(refusal, text);
    await client.execute('one', 'crash').catch(() => undefined);
    const [notice] = await receivedSoon(client, 'message');
    expect(notice).toMatchObject({ level: 'error', logger: 'portolan' });
    const lost = `The connection to the server one was lost, and the subscription to ${OUTER} could not be restored: ${why}`;
    expect(String(notice?.data).startsWith(lost)).toBe(true);
    rmSync(refusal);
    if (text === 'start') {
      await startedTwice(starts);
      expect(await stateOf(client)).toMatchObject({ subscribed: [URI] });
    }
    expect([received(client, 'message').length, received(other, 'message').length]).toEqual([1, 0]);
  });

  it('the client is notified if the definition was changed, and can subscribe again', async () => {
    const { setup, starts, refusal } = watchedSetup();
    await using _setup = setup;
    await using client = await setup.client();
    await client.request('resources/subscribe', { uri: OUTER });
    configure(setup.machine, { one: { command: process.execPath, args: [SERVER, starts, refusal, 'changed'] } });
    const [notice] = await receivedSoon(client, 'message');
    expect(notice?.data).toContain(`the subscription to ${OUTER} could not be restored: its definition was changed`);
    await client.request('resources/subscribe', { uri: OUTER });
    await client.execute('one', 'touch', { uri: URI });
    expect(await receivedSoon(client, 'resources/updated')).toEqual([{ uri: OUTER }]);
    expect(startsIn(starts)).toHaveLength(2);
  });

  it('it receives the log level of its client again', async () => {
    const { setup, starts } = watchedSetup();
    await using _setup = setup;
    await using client = await setup.client({ args: ['serve', '--expose', 'one'] });
    await client.request('logging/setLevel', { level: 'error' });
    expect((await client.call('state')).structuredContent).toMatchObject({ level: 'error' });
    await client.call('crash').catch(() => undefined);
    const after = await until(
      () => client.call('state').catch(() => undefined),
      (result) => result?.structuredContent !== undefined,
    );
    expect(after?.structuredContent).toMatchObject({ level: 'error' });
    expect(startsIn(starts)).toHaveLength(2);
  });
});
