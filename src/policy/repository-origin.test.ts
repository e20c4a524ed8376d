import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import { folderOfApproval, isFromRepository } from './repository-origin.js';

const FOLDERS = { home: '/h', cwd: '/h/p/sub', repository: '/h/p' };
const RUNS = { client: 'running', scope: 'running', state: 'pending-approval', url: 'http://127.0.0.1:1/' } as const;
const IN_PROJECT = { ...RUNS, source: '/h/p/.portolan/mcp_servers.json' };
const OF_USER = { ...RUNS, source: '/h/.local/state/portolan/running/mcp_servers.json' };

describe('folderOfApproval', () => {
  it.each([
    {
      title: 'a project’s command',
      said: { scope: 'project', command: 'npm', source: '/h/p/.mcp.json' },
      folder: '/h/p',
    },
    { title: 'a user’s command', said: { command: 'npm' }, folder: undefined },
    { title: 'a project’s address', said: { scope: 'project', url: 'https://x/' } as const, folder: undefined },
    { title: 'a URL that runs in a project', said: IN_PROJECT, folder: undefined },
    { title: 'one that stands in for a server', said: { ...IN_PROJECT, standsFor: 'f' }, folder: '/h/p' },
    { title: 'one that stands in for the whole user', said: { ...OF_USER, standsFor: 'f' }, folder: undefined },
  ] as const)('binds the approval of $title to $folder', ({ said, folder }) => {
    expect(folderOfApproval(definition(said), FOLDERS)).toBe(folder);
  });
});

describe('isFromRepository', () => {
  it.each([
    { source: '/h/p/.config/portolan/servers.json', is: true },
    { source: '/proc/self/cwd/.config/portolan/servers.json', is: true },
    { source: '/h/p-other/.mcp.json', is: false },
    { source: '/h/.config/portolan/servers.json', is: false },
    { source: '/h/proc/servers.json', is: false },
  ])('$source: $is', ({ source, is }) => {
    expect(isFromRepository(definition({ source, scope: 'user' }), FOLDERS)).toBe(is);
  });
});
