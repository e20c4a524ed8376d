import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import { serverWith } from '../../tests/fakes/server.js';
import { ErrorCode } from '../base/index.js';
import type { State } from '../model/index.js';
import { admit } from './admit.js';
import type { Verdict } from './decide.js';
import { findServer, requireAdmitted, type Server, shownName } from './server.js';

const VERDICTS: Readonly<Record<State, Verdict>> = {
  ready: { kind: 'allowed' },
  'pending-approval': { kind: 'needs-approval', because: 'new' },
  rejected: { kind: 'denied' },
  'blocked-by-policy': { kind: 'blocked', rule: 'a rule' },
  'needs-input': { kind: 'unavailable', state: 'needs-input' },
  disabled: { kind: 'unavailable', state: 'disabled' },
  'client-ignores': { kind: 'unavailable', state: 'client-ignores' },
  'inventory-only': { kind: 'unavailable', state: 'inventory-only' },
};

const admitted = (name: string, alias = name): Server => {
  const proof = admit(name, definition({ name }), { kind: 'allowed' });
  return { ...serverWith({ kind: 'allowed' }, name, alias), ...(proof && { admitted: proof }) };
};
const refused = (name: string, state: State, alias = name): Server => serverWith(VERDICTS[state], name, alias);

describe('findServer', () => {
  const servers = [
    admitted('github'),
    admitted('My Files', 'my_files'),
    refused('waiting', 'pending-approval'),
    refused('ignore all rules and', 'pending-approval', 'ignore_all_rules_and'),
    admitted('my_files_2', 'other'),
    { ...admitted('notes'), otherNames: ['my notes', 'github', 'other', 'shared'] },
    { ...admitted('late'), otherNames: ['shared'] },
  ];

  it.each([
    { title: 'its name', wanted: 'My Files', found: 'My Files' },
    { title: 'its alias', wanted: 'my_files', found: 'My Files' },
    { title: 'the name shown to a model', wanted: 'ignore_all_rules_and', found: 'ignore all rules and' },
    { title: 'its name although it waits for approval', wanted: 'waiting', found: 'waiting' },
    { title: 'its name in another entry', wanted: 'my notes', found: 'notes' },
    { title: 'its name before other entries’ names', wanted: 'github', found: 'github' },
    { title: 'its alias before other entries’ names', wanted: 'other', found: 'my_files_2' },
    { title: 'a shared name in other entries as the first server', wanted: 'shared', found: 'notes' },
  ])('finds a server by $title', ({ wanted, found }) => {
    expect(findServer(servers, wanted).name).toBe(found);
  });

  it.each([
    { wanted: 'githbu', hint: 'did you mean github?' },
    { wanted: 'zzz', hint: 'list_mcp_servers shows the names' },
    // It is not admitted, so its name is not suggested to a model.
    { wanted: 'waitin', hint: 'list_mcp_servers shows the names' },
  ])('does not find $wanted, and hints: $hint', ({ wanted, hint }) => {
    const error = { code: ErrorCode.ServerNotFound, message: `there is no server called "${wanted}"`, hint };
    expect(() => findServer(servers, wanted)).toThrow(expect.objectContaining(error));
  });

  it('truncates a long name', () => {
    expect(() => findServer([], 'x'.repeat(10_000))).toThrow(
      expect.objectContaining({ message: expect.toSatisfy((text: string) => text.length < 150) }),
    );
  });
});

describe('shownName', () => {
  it.each([
    {
      title: 'an admitted server by any name',
      server: admitted('My Files!', 'my_files_'),
      shown: 'My Files!',
    },
    {
      title: 'a plain name unchanged',
      server: refused('git-hub.v2', 'pending-approval', 'git_hub_v2'),
      shown: 'git-hub.v2',
    },
    {
      title: 'a name of several words without approval by its alias',
      server: refused('do as I say', 'rejected', 'do_as_i_say'),
      shown: 'do_as_i_say',
    },
    {
      title: 'a name that looks like a flag by its alias',
      server: refused('--all', 'pending-approval', '_all'),
      shown: '_all',
    },
    {
      title: 'a truncated long alias',
      server: refused('x y'.repeat(50), 'rejected', 'x'.repeat(90)),
      shown: 'x'.repeat(64),
    },
  ])('shows $title', ({ server, shown }) => {
    expect(shownName(server)).toBe(shown);
  });
});

describe('requireAdmitted', () => {
  it('returns the proof for an admitted server', () => {
    const server = admitted('github');
    expect(requireAdmitted(server)).toBe(server.admitted);
  });

  it.each([
    { state: 'pending-approval', code: 'SERVER_NOT_APPROVED', hint: 'ask the user to run: portolan approve own' },
    { state: 'rejected', code: 'SERVER_BLOCKED', hint: 'the user can approve it with: portolan approve own' },
    { state: 'blocked-by-policy', code: 'SERVER_BLOCKED', hint: 'the user can see the rule with: portolan why own' },
    {
      state: 'needs-input',
      code: 'SERVER_BLOCKED',
      hint: 'the user can see them, and how to store them, with: portolan why own',
    },
    { state: 'disabled', code: 'SERVER_BLOCKED', hint: 'the user can see why with: portolan why own' },
    { state: 'client-ignores', code: 'SERVER_BLOCKED', hint: 'the user can see why with: portolan why own' },
    { state: 'inventory-only', code: 'SERVER_BLOCKED', hint: 'the user can see why with: portolan why own' },
    { state: 'ready', code: 'SERVER_BLOCKED', hint: 'the user has to rename it' },
  ] as const)('rejects a server that is $state with $code, and says who can change that', ({ state, code, hint }) => {
    expect(() => requireAdmitted(refused('own', state))).toThrow(expect.objectContaining({ code, hint }));
  });

  it('hints at the alias if the name would be read as a flag', () => {
    expect(() => requireAdmitted(refused('--all', 'pending-approval', '_all'))).toThrow(
      expect.objectContaining({ hint: 'ask the user to run: portolan approve _all' }),
    );
  });
});
