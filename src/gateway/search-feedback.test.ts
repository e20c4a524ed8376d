import { describe, expect, it } from 'vitest';
import { createToolIndex, type ToolIndex } from '../search/index.js';
import { SearchFeedback } from './search-feedback.js';

const TOOLS = [
  { server: 'crm', name: 'upsert_contact', description: 'Create or update a contact' },
  { server: 'crm', name: 'list_invoices', description: 'List the invoices of a month' },
];

function learning(isOn = true) {
  const made = createToolIndex(TOOLS);
  let searches = 0;
  const index: ToolIndex = {
    ...{ add: made.add.bind(made), remove: made.remove.bind(made), remember: made.remember.bind(made) },
    ...{ memory: made.memory.bind(made), recall: made.recall.bind(made), embedded: made.embedded.bind(made) },
    prepare: made.prepare.bind(made),
    search: (query, options) => {
      searches += 1;
      return made.search(query, options);
    },
  };
  const clock = { now: 0 };
  let changes = 0;
  const uses = new SearchFeedback(
    index,
    () => isOn,
    {
      refresh: () => undefined,
      changed: () => {
        changes += 1;
      },
    },
    () => clock.now,
  );
  const search = (client: string, query: string, options: { readonly server?: string } = {}) =>
    uses.searched(client, query, index.search(query, options), options.server);
  return { index, uses, search, clock, changes: () => changes, searches: () => searches };
}

describe('SearchFeedback', () => {
  it('remembers only the need that led the client to the tool, once', () => {
    const { index, uses, search, changes } = learning();
    search('a', 'update a contact\nlist invoices');
    uses.called('a', 'crm', 'upsert_contact', 'ok');
    uses.called('a', 'crm', 'upsert_contact', 'ok');
    expect(index.memory()).toMatchObject([{ server: 'crm', tool: 'upsert_contact', query: 'update a contact' }]);
    expect(changes()).toBe(1);
  });

  it.each([
    { title: 'another client made the search', client: 'b', tool: 'upsert_contact', later: 0, isOn: true },
    { title: 'no search found the tool', client: 'a', tool: 'unknown', later: 0, isOn: true },
    { title: 'the search was eleven minutes ago', client: 'a', tool: 'upsert_contact', later: 11 * 60_000, isOn: true },
    { title: 'the setting is off', client: 'a', tool: 'upsert_contact', later: 0, isOn: false },
  ])('remembers nothing if $title', ({ client, tool, later, isOn }) => {
    const { index, uses, search, clock } = learning(isOn);
    search('a', 'update a contact');
    clock.now += later;
    uses.called(client, 'crm', tool, 'ok');
    expect(index.memory()).toEqual([]);
  });

  it.each([
    { title: 'one need', query: 'update a contact', most: 1 },
    { title: 'two needs', query: 'update a contact\nlist invoices', most: 3 },
    { title: '100,000 needs', query: Array.from({ length: 100_000 }, () => 'update a contact').join('\n'), most: 9 },
  ])('makes at most $most searches for $title, and none for a call', ({ query, most }) => {
    const { index, uses, search, searches } = learning();
    search('a', query);
    const before = searches();
    expect(before).toBeLessThanOrEqual(most);
    for (const tool of ['list_invoices', 'upsert_contact', 'unknown', 'upsert_contact'])
      uses.called('a', 'crm', tool, 'ok');
    expect(searches()).toBe(before);
    expect(index.memory()).toContainEqual(
      expect.objectContaining({ tool: 'upsert_contact', query: 'update a contact' }),
    );
  });

  describe('lowers the rank of a tool', () => {
    const abandoned = (index: ToolIndex) => index.memory().map(({ tool, abandoned = false }) => [tool, abandoned]);

    it('whose call failed, until a call succeeds', () => {
      const { index, uses, search } = learning();
      search('a', 'update a contact');
      uses.called('a', 'crm', 'upsert_contact', 'failed');
      uses.called('a', 'crm', 'upsert_contact', 'failed');
      expect(abandoned(index)).toEqual([['upsert_contact', true]]);
      uses.called('a', 'crm', 'upsert_contact', 'ok');
      uses.called('a', 'crm', 'upsert_contact', 'failed');
      expect(abandoned(index)).toEqual([['upsert_contact', false]]);
    });

    it('that was called once before another tool of the same answer', () => {
      const { index, uses, search } = learning();
      search('a', 'show the contact of an invoice');
      uses.called('a', 'crm', 'list_invoices', 'ok');
      uses.called('a', 'crm', 'upsert_contact', 'ok');
      expect(abandoned(index)).toEqual([
        ['list_invoices', true],
        ['upsert_contact', false],
      ]);
    });

    it.each([
      { title: 'was called twice', query: 'show the contact of an invoice', calls: ['list_invoices', 'list_invoices'] },
      {
        title: 'covers one of several needs in one line',
        query: 'list the invoices of this month, then update the contact of my customer',
        calls: ['list_invoices'],
      },
      {
        title: 'covers the need of another line',
        query: 'list invoices\nupdate a contact',
        calls: ['list_invoices'],
      },
    ])('but not of one that $title', ({ query, calls }) => {
      const { index, uses, search } = learning();
      search('a', query);
      for (const tool of [...calls, 'upsert_contact']) uses.called('a', 'crm', tool, 'ok');
      expect(abandoned(index)).toEqual([
        ['list_invoices', false],
        ['upsert_contact', false],
      ]);
    });

    it('but not of one that no search found', () => {
      const { index, uses, search } = learning();
      search('a', 'update a contact');
      uses.called('a', 'crm', 'unknown', 'failed');
      uses.called('b', 'crm', 'upsert_contact', 'failed');
      expect(index.memory()).toEqual([]);
    });
  });

  it('learns nothing from needs beyond the eighth', () => {
    const { index, uses, search } = learning();
    search('a', [...Array.from({ length: 8 }, () => 'x'), 'update a contact'].join('\n'));
    uses.called('a', 'crm', 'upsert_contact', 'ok');
    expect(index.memory()).toEqual([]);
  });

  it('learns from a search that was limited to one server only for tools of that server', () => {
    const { index, uses, search } = learning();
    search('a', 'update a contact\nlist invoices', { server: 'other' });
    uses.called('a', 'crm', 'upsert_contact', 'ok');
    expect(index.memory()).toEqual([]);
    search('a', 'update a contact\nlist invoices', { server: 'crm' });
    uses.called('a', 'crm', 'upsert_contact', 'ok');
    expect(index.memory()).toHaveLength(1);
  });

  it('forgets the client that searched longest ago when a hundred others search', () => {
    const { index, uses, search } = learning();
    search('first', 'update a contact');
    for (let n = 0; n < 99; n += 1) search(`client ${n}`, 'list invoices');
    uses.called('first', 'crm', 'upsert_contact', 'ok');
    expect(index.memory()).toHaveLength(1);
    search('second', 'update a contact');
    for (let n = 0; n < 100; n += 1) search(`client ${n}`, 'list invoices');
    uses.called('second', 'crm', 'list_invoices', 'ok');
    uses.called('second', 'crm', 'upsert_contact', 'ok');
    expect(index.memory()).toHaveLength(1);
  });
});
