import { describe, expect, it } from 'vitest';
import { type CallInFlight, CallsInFlight } from './calls-in-flight.js';

/** Two clients at one server: what each of them is asked and told. */
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

describe('Flights', () => {
  it('puts a question to the one whose call is under way, and tells it what the server logs', async () => {
    const { flights, heard, enter } = twoClients();
    enter('a');
    await flights.ask('elicitation/create', { message: 'sure?' });
    flights.log({ data: 'working' });
    expect(heard).toEqual(['a is asked MCP server "one" asks:\n> sure?', 'a hears working']);
  });

  it('puts to nobody what may be about a call that another gave up a moment ago (G8)', async () => {
    const { flights, heard, enter } = twoClients();
    const first = enter('a');
    enter('b');
    flights.giveUp(first);
    await expect(flights.ask('elicitation/create', { message: 'delete the secret of a?' })).rejects.toThrow(
      'it cannot be said whose call caused it',
    );
    flights.log({ data: 'the secret of a' });
    expect(heard).toEqual([]);
  });

  it('lets the one who gave up a call be asked about the next', async () => {
    const { flights, heard, enter } = twoClients();
    flights.giveUp(enter('a'));
    enter('a');
    await flights.ask('elicitation/create', { message: 'again?' });
    expect(heard).toEqual(['a is asked MCP server "one" asks:\n> again?']);
  });
});
