import { describe, expect, it } from 'vitest';
import { complete } from './merge-settings.js';
import { originsOf } from './setting-origins.js';
import type { SettingsLayer } from './settings-layer.js';

const [a, b] = [{ serverName: 'a' }, { serverName: 'b' }];

describe('originsOf', () => {
  it('returns the deciding layer of a value, with its line if known, and all layers of a list', () => {
    const layers: readonly SettingsLayer[] = [
      {
        ...{ source: '/user.json', scope: 'user', lines: { 'cache.ttl': 3, deniedMcpServers: 4 } },
        settings: { cache: { ttl: 5 }, deniedMcpServers: [a], enabled: true },
      },
      { source: '$PORTOLAN_APPROVAL', scope: 'environment', settings: { approval: 'all' } },
      { source: 'options', scope: 'options', settings: { pins: 'enforce' } },
      {
        ...{ source: '/managed.json', scope: 'managed', lines: { 'cache.ttl': 1 } },
        settings: { cache: { ttl: 9 }, deniedMcpServers: [b] },
      },
    ];
    const settings = complete({
      ...{ cache: { ttl: 5 }, deniedMcpServers: [b, a], enabled: true, approval: 'all', pins: 'enforce' },
    });
    expect(originsOf(settings, layers)).toEqual({
      'cache.ttl': [{ kind: 'file', path: '/user.json', line: 3 }],
      deniedMcpServers: [
        { kind: 'file', path: '/user.json', line: 4 },
        { kind: 'file', path: '/managed.json' },
      ],
      enabled: [{ kind: 'file', path: '/user.json' }],
      approval: [{ kind: 'environment', variable: 'PORTOLAN_APPROVAL' }],
      pins: [{ kind: 'options' }],
    });
  });
});
