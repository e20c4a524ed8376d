import { describe, expect, it } from 'vitest';
import { configure, connect, installed, type StdioClient } from '../support/client-over-stdio.js';
import { makeMachine } from '../support/machine.js';

const EVERYTHING = { everything: installed('@modelcontextprotocol/server-everything', ['stdio']) };

const sum = (client: StdioClient, given: Readonly<Record<string, unknown>>) =>
  client.execute('everything', 'get-sum', given);

describe('a call of server-everything with wrong arguments', () => {
  it('is corrected if they have one meaning; the result says so', async () => {
    using machine = makeMachine();
    configure(machine, EVERYTHING);
    await using client = await connect(machine);
    expect(await sum(client, { a: '2', b: 3 })).toEqual({
      content: [
        { type: 'text', text: 'The sum of 2 and 3 is 5.' },
        {
          type: 'text',
          text: 'Portolan corrected the arguments of this call. a: a string was sent as a number.',
        },
      ],
    });
    expect((await sum(client, { a: 2, b: 3 })).content).toHaveLength(1);
  });

  it('is refused with the signature and the nearest valid arguments otherwise', async () => {
    using machine = makeMachine();
    configure(machine, EVERYTHING);
    await using client = await connect(machine);
    const { error } = (await sum(client, { a: 'two', c: 3 })).structuredContent as { error: object };
    expect(error).toMatchObject({
      code: 'TOOL_VALIDATION_ERROR',
      hint: expect.stringMatching(/^get-sum\(a: number, b: number\); nearest valid arguments: \{"a":\d+,"b":\d+\}$/),
    });
  });

  it('is refused if the setting correctArguments is false', async () => {
    using machine = makeMachine();
    configure(machine, EVERYTHING, { correctArguments: false });
    await using client = await connect(machine);
    expect(await sum(client, { a: '2', b: 3 })).toMatchObject({ isError: true });
  });
});

describe('search_tools', () => {
  it('returns the signature of each tool, with which it can be called', async () => {
    using machine = makeMachine();
    configure(machine, EVERYTHING);
    await using client = await connect(machine);
    const { results } = await client.ask('search_tools', { query: 'add two numbers' });
    expect(results).toContainEqual(
      expect.objectContaining({ tool: 'get-sum', signature: 'get-sum(a: number, b: number)' }),
    );
  });
});
