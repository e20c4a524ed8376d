import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/client-over-stdio.js';
import {
  DRIVERS,
  type Era,
  type Json,
  machineWithFixture,
  PROGRAM,
  TARGETS,
  type Talk,
} from '../support/conformance-drivers.js';
import { SCENARIOS } from '../support/conformance-scenarios.js';

// The official suite uses HTTP only. These are its server scenarios, with the same names, over stdio.

const exposes = spawnSync(process.execPath, [PROGRAM, 'serve', '--help'], { encoding: 'utf8' }).stdout.includes(
  '--expose',
);
it.skipIf(exposes)('the scenarios through the gateway are skipped without --expose', () => undefined);

/** The message without fields of the protocol revision. */
function bare({ _meta, resultType, ttlMs, cacheScope, ...rest }: Json): Json {
  return rest;
}

/** The elicitation as the gateway forwards it, with the name of the server. */
function attributed({ params, ...question }: Json): Json {
  const { message, ...rest } = params as Json;
  const named = question.method === 'elicitation/create' ? { message: `MCP server "fixture" asks:\n> ${message}` } : {};
  return { ...question, params: { ...rest, ...named } };
}

/** Together with the drivers, all combinations of protocol eras of client and server. */
const UPSTREAMS = [
  { title: 'the fixture', target: 'the fixture' },
  { title: 'the gateway with a modern server', target: 'the gateway', upstream: 'modern' },
  { title: 'the gateway with a legacy server', target: 'the gateway', upstream: 'legacy' },
] as const satisfies readonly { title: string; target: keyof typeof TARGETS; upstream?: Era }[];

for (const { title, target, ...more } of UPSTREAMS) {
  describe.skipIf(target === 'the gateway' && !exposes)(`${title} over stdio`, () => {
    describe.each(DRIVERS)('with a client of $title', ({ connect }) => {
      const machine = machineWithFixture('upstream' in more ? more.upstream : undefined);
      let connection: Talk;
      beforeAll(async () => {
        connection = await connect(TARGETS[target](machine));
      });
      beforeEach(() => {
        for (const list of [connection.asked, connection.progress, connection.notifications]) list.length = 0;
      });
      afterAll(async () => {
        await connection?.close();
        machine[Symbol.dispose]();
      });

      it.each(SCENARIOS)('$title', async ({ method, params, expected, asked = [], progress = [], era }) => {
        if (era !== undefined && era !== connection.era)
          return await expect(connection.request(method, params)).rejects.toThrow();
        const result = bare(await connection.request(method, params));
        const questions = target === 'the gateway' ? asked.map(attributed) : asked;
        const received = { result, asked: connection.asked, progress: connection.progress };
        expect(received).toEqual({ result: expected, asked: questions, progress });
      });

      it('tools-call-with-logging', async () => {
        if (connection.era === 'legacy') await connection.request('logging/setLevel', { level: 'debug' });
        const _meta = connection.era === 'modern' ? { 'io.modelcontextprotocol/logLevel': 'debug' } : {};
        await connection.request('tools/call', { name: 'test_tool_with_logging', arguments: {}, _meta });
        const lines = await until(
          () => connection.notifications.map(({ method, params }) => ({ method, ...bare(params as Json) })),
          ({ length }) => length === 3,
        );
        expect(lines).toEqual(
          ['Tool execution started', 'Tool processing data', 'Tool execution completed'].map((data) => ({
            method: 'notifications/message',
            level: 'info',
            data,
          })),
        );
      });

      it('resources-subscribe and resources-unsubscribe', async () => {
        const uri = 'test://watched-resource';
        if (connection.era === 'modern') {
          await expect(connection.request('resources/subscribe', { uri })).rejects.toThrow();
          return; // modern clients use subscriptions/listen, which conformance-stdio-lines.test.ts tests
        }
        const change = () => connection.request('tools/call', { name: 'test_trigger_resource_update', arguments: {} });
        expect(await connection.request('resources/subscribe', { uri })).toEqual({});
        await change();
        const [received] = await until(
          () => connection.notifications,
          ({ length }) => length > 0,
        );
        expect(received).toEqual({ method: 'notifications/resources/updated', params: { uri } });
        expect(await connection.request('resources/unsubscribe', { uri })).toEqual({});
        await change();
        expect(await connection.request('ping')).toEqual({});
        expect(connection.notifications).toHaveLength(1);
      });

      it('sep-2164-resource-not-found', async () => {
        const uri = 'test://nonexistent';
        const code = connection.era === 'modern' ? -32602 : expect.toBeOneOf([-32602, -32002]);
        await expect(connection.request('resources/read', { uri })).rejects.toMatchObject({ code, data: { uri } });
      });
    });
  });
}

describe.skipIf(!exposes)('the lists of the gateway over stdio equal those of the server', () => {
  it.each(DRIVERS)('with a client of $title', async ({ connect }) => {
    using machine = machineWithFixture();
    const [direct, through] = await Promise.all(
      [TARGETS['the fixture'], TARGETS['the gateway']].map((where) => connect(where(machine))),
    );
    try {
      for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
        const [own, passed] = await Promise.all([direct, through].map((connection) => connection?.request(method)));
        expect(bare(passed ?? {})).toEqual(bare(own ?? {}));
      }
    } finally {
      await Promise.all([direct?.close(), through?.close()]);
    }
  });
});
