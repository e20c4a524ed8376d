import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf, gatewayWith, type HomeGateway, textOf } from '../support/gateway-harness.js';

const SERVER = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/servers/asking-server.mjs');

describe.each(['legacy', 'modern'])('an invalid response of a server with the %s protocol', (era) => {
  let home: HomeGateway;
  beforeAll(async () => {
    const flags = era === 'modern' ? ['--modern'] : [];
    home = await gatewayWith({ odd: { command: process.execPath, args: [SERVER, ...flags], era } });
  });
  afterAll(() => home[Symbol.asyncDispose]());

  it.each(['both', 'both, error first', 'text', 'object', 'null', 'neither', 'text as error'])(
    'is an upstream error: %s',
    async (kind) => {
      const client = home.connect();
      await client.initialize();
      const result = await client.execute('odd', 'broken', { kind });
      expect([codeOf(result), textOf(result)]).toEqual([
        'TOOL_EXECUTION_ERROR',
        expect.stringMatching(
          /has both \\"result\\" and \\"error\\"|\\"content\\" is not an array|answer cannot be read/,
        ),
      ]);
    },
  );
});
