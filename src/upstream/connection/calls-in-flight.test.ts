import { describe, expect, it } from 'vitest';
import { type CallInFlight, CallsInFlight } from './calls-in-flight.js';

/** Two clients of one server; records the questions and logs that each receives. */
function twoClients() {
  const calls = new CallsInFlight();
  const heard: string[] = [];
  let id = 0;
  const enter = (client: string) => {
    id += 1;
    const flight: CallInFlight = {
      server: 'one',
      id,
      conversation: {
        client,
        ask: async (_, { message }) => {
          heard.push(`${client} is asked ${message}`);
          return { action: 'accept' };
        },
        log: ({ data }) => heard.push(`${client} hears ${data}`),
      },
      alive: () => undefined,
    };
    calls.enter(flight);
    return flight;
  };
  return { calls, heard, enter };
}

describe('CallsInFlight', () => {
  it('sends questions and logs to the client whose call is in progress', async () => {
    const { calls, heard, enter } = twoClients();
    enter('a');
    await calls.ask('elicitation/create', { message: 'sure?' });
    calls.log({ data: 'working' });
    expect(heard).toEqual(['a is asked MCP server "one" asks:\n> sure?', 'a hears working']);
  });

  it('rejects questions and drops logs that may concern a call that another client just gave up', {
    tags: 'G8',
  }, async () => {
    const { calls, heard, enter } = twoClients();
    const first = enter('a');
    enter('b');
    calls.giveUp(first);
    await expect(calls.ask('elicitation/create', { message: 'delete the secret of a?' })).rejects.toThrow(
      'it may concern a call of another client',
    );
    calls.log({ data: 'the secret of a' });
    expect(heard).toEqual([]);
  });

  it('sends questions to a client that gave up a call and made another', async () => {
    const { calls, heard, enter } = twoClients();
    calls.giveUp(enter('a'));
    enter('a');
    await calls.ask('elicitation/create', { message: 'again?' });
    expect(heard).toEqual(['a is asked MCP server "one" asks:\n> again?']);
  });
});
