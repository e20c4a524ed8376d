import { describe, expect, it } from 'vitest';
import { type CallInFlight, CallsInFlight } from './calls-in-flight.js';

/** Two clients of one server; records the questions and logs that each receives. */
function twoClients() {
  const flights = new CallsInFlight();
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
    flights.enter(flight);
    return flight;
  };
  return { flights, heard, enter };
}

describe('CallsInFlight', () => {
  it('sends questions and logs to the client whose call is in progress', async () => {
    const { flights, heard, enter } = twoClients();
    enter('a');
    await flights.ask('elicitation/create', { message: 'sure?' });
    flights.log({ data: 'working' });
    expect(heard).toEqual(['a is asked MCP server "one" asks:\n> sure?', 'a hears working']);
  });

  it('rejects questions and drops logs that may concern a call that another client just gave up', {
    tags: 'G8',
  }, async () => {
    const { flights, heard, enter } = twoClients();
    const first = enter('a');
    enter('b');
    flights.giveUp(first);
    await expect(flights.ask('elicitation/create', { message: 'delete the secret of a?' })).rejects.toThrow(
      'it may concern a call of another client',
    );
    flights.log({ data: 'the secret of a' });
    expect(heard).toEqual([]);
  });

  it('sends questions to a client that gave up a call and made another', async () => {
    const { flights, heard, enter } = twoClients();
    flights.giveUp(enter('a'));
    enter('a');
    await flights.ask('elicitation/create', { message: 'again?' });
    expect(heard).toEqual(['a is asked MCP server "one" asks:\n> again?']);
  });
});
