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

// The official suite speaks HTTP only. These are its server scenarios, by its names, over stdio.

const exposes = spawnSync(process.execPath, [PROGRAM, 'serve', '--help'], { encoding: 'utf8' }).stdout.includes(
  '--expose',
);
it.skipIf(exposes)('the scenarios through the gateway are skipped: it knows no --expose', () => undefined);

/** Without what only says how the message travelled. */
function bare({ _meta, resultType, ttlMs, cacheScope, ...rest }: Json): Json {
  return rest;
}

/** What a server asks through the gateway names that server. */
function attributed({ params, ...question }: Json): Json {
  const { message, ...rest } = params as Json;
  const named = question.method === 'elicitation/create' ? { message: `MCP server "fixture" asks:\n> ${message}` } : {};
  return { ...question, params: { ...rest, ...named } };
}

/** With the drivers, every pairing of the generations of a client and of a server. */
const UPSTREAMS = [
  { title: 'the fixture', target: 'the fixture' },
  { title: 'the gateway before a server of the current generation', target: 'the gateway', upstream: 'modern' },
  { title: 'the gateway before a server of the older generation', target: 'the gateway', upstream: 'legacy' },
] as const satisfies readonly { title: string; target: keyof typeof TARGETS; upstream?: Era }[];

for (const { title, target, ...more } of UPSTREAMS) {
  describe.skipIf(target === 'the gateway' && !exposes)(`${title} over stdio`, () => {
    describe.each(DRIVERS)('to a client of $title', ({ connect }) => {
      const machine = machineWithFixture('upstream' in more ? more.upstream : undefined);
      let talk: Talk;
      beforeAll(async () => {
        talk = await connect(TARGETS[target](machine));
      });
      beforeEach(() => {
        for (const heard of [talk.asked, talk.progress, talk.notifications]) heard.length = 0;
      });
      afterAll(async () => {
        await talk?.close();
        machine[Symbol.dispose]();
      });

      it.each(SCENARIOS)('$title', async ({ method, params, expected, asked = [], progress = [], era }) => {
        if (era !== undefined && era !== talk.era) return await expect(talk.request(method, params)).rejects.toThrow();
        const result = bare(await talk.request(method, params));
        const questions = target === 'the gateway' ? asked.map(attributed) : asked;
        const heard = { result, asked: talk.asked, progress: talk.progress };
        expect(heard).toEqual({ result: expected, asked: questions, progress });
      });

      it('tools-call-with-logging', async () => {
        if (talk.era === 'legacy') await talk.request('logging/setLevel', { level: 'debug' });
        const _meta = talk.era === 'modern' ? { 'io.modelcontextprotocol/logLevel': 'debug' } : {};
        await talk.request('tools/call', { name: 'test_tool_with_logging', arguments: {}, _meta });
        const lines = await until(
          () => talk.notifications.map(({ method, params }) => ({ method, ...bare(params as Json) })),
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
        if (talk.era === 'modern') {
          await expect(talk.request('resources/subscribe', { uri })).rejects.toThrow();
          return; // it listens instead, which is tested line by line
        }
        const change = () => talk.request('tools/call', { name: 'test_trigger_resource_update', arguments: {} });
        expect(await talk.request('resources/subscribe', { uri })).toEqual({});
        await change();
        const [heard] = await until(
          () => talk.notifications,
          ({ length }) => length > 0,
        );
        expect(heard).toEqual({ method: 'notifications/resources/updated', params: { uri } });
        expect(await talk.request('resources/unsubscribe', { uri })).toEqual({});
        await change();
        expect(await talk.request('ping')).toEqual({});
        expect(talk.notifications).toHaveLength(1);
      });

      it('sep-2164-resource-not-found', async () => {
        const uri = 'test://nonexistent';
        const code = talk.era === 'modern' ? -32602 : expect.toBeOneOf([-32602, -32002]);
        await expect(talk.request('resources/read', { uri })).rejects.toMatchObject({ code, data: { uri } });
      });
    });
  });
}

describe.skipIf(!exposes)('what the gateway lists over stdio is what the server lists', () => {
  it.each(DRIVERS)('to a client of $title', async ({ connect }) => {
    using machine = machineWithFixture();
    const [direct, through] = await Promise.all(
      [TARGETS['the fixture'], TARGETS['the gateway']].map((where) => connect(where(machine))),
    );
    try {
      for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
        const [own, passed] = await Promise.all([direct, through].map((talk) => talk?.request(method)));
        expect(bare(passed ?? {})).toEqual(bare(own ?? {}));
      }
    } finally {
      await Promise.all([direct?.close(), through?.close()]);
    }
  });
});
