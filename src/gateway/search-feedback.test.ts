import { describe, expect, it } from 'vitest';
import { createToolIndex } from '../search/index.js';
import { SearchFeedback } from './search-feedback.js';

const TOOLS = [
  { server: 'crm', name: 'upsert_contact', description: 'Create or update a contact' },
  { server: 'crm', name: 'list_deals', description: 'List the deals of a pipeline' },
];

function learning(isOn = true) {
  const index = createToolIndex(TOOLS);
  const clock = { now: 0 };
  let changes = 0;
  const uses = new SearchFeedback(
    index,
    () => isOn,
    () => {
      changes += 1;
    },
    () => clock.now,
  );
  return { index, uses, clock, changes: () => changes };
}

describe('SearchFeedback', () => {
  it('remembers the need that led a client to a tool that worked, and that need alone', () => {
    const { index, uses, changes } = learning();
    uses.searched('a', 'update a contact\nlist deals');
    uses.worked('a', 'crm', 'upsert_contact');
    uses.worked('a', 'crm', 'upsert_contact');
    expect(index.memory()).toMatchObject([{ server: 'crm', tool: 'upsert_contact', query: 'update a contact' }]);
    expect(changes()).toBe(1);
  });

  it.each([
    { title: 'another client searched', client: 'b', tool: 'upsert_contact', later: 0, isOn: true },
    { title: 'nothing that was asked for finds the tool', client: 'a', tool: 'unknown', later: 0, isOn: true },
    { title: 'the search was long ago', client: 'a', tool: 'upsert_contact', later: 11 * 60_000, isOn: true },
    { title: 'the settings say no', client: 'a', tool: 'upsert_contact', later: 0, isOn: false },
  ])('remembers nothing where $title', ({ client, tool, later, isOn }) => {
    const { index, uses, clock } = learning(isOn);
    uses.searched('a', 'update a contact');
    clock.now += later;
    uses.worked(client, 'crm', tool);
    expect(index.memory()).toEqual([]);
  });

  it('looks again at no more needs than a few, however many lines were searched for', () => {
    const { index, uses } = learning();
    uses.searched('a', [...Array.from({ length: 100_000 }, () => 'x'), 'update a contact'].join('\n'));
    uses.worked('a', 'crm', 'upsert_contact');
    expect(index.memory()).toEqual([]);
  });
});
