// The usual state of a gateway: many tools are loaded, and the client has searched for several needs a moment ago.
import { ask } from './session.mjs';

export const NEEDS = [
  'create an issue in a repository',
  'take a screenshot of the page',
  'send a message to a channel',
  'query a database',
  'read a file',
  'list pull requests',
  'search the web',
  'calendar event',
];
const SEARCHES = 3;

/** As many searches as the gateway relates to later calls; nothing for a contender that cannot search. */
export async function searchSeveralNeeds(session) {
  const { find } = session.contender;
  for (let n = 0; find && n < SEARCHES; n += 1) await ask(session, find(NEEDS.join('\n')));
}
