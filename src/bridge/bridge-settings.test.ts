import { describe, expect, it } from 'vitest';
import { BRIDGE_DEFAULTS, quickSettings } from './bridge-settings.js';

const OWN = '/h/.config/portolan/portolan.config.json';

/** A file system that contains only these files. */
function disk(texts: Readonly<Record<string, string>>): Parameters<typeof quickSettings>[2] {
  return {
    exists: (path) => Object.hasOwn(texts, path),
    read: (path) => {
      const text = texts[path];
      return text === undefined ? { kind: 'absent' } : { kind: 'read', text };
    },
  };
}

describe('quickSettings', () => {
  it.each([
    { title: 'no file', texts: {}, expected: BRIDGE_DEFAULTS },
    {
      title: 'a file without daemon settings',
      texts: { [OWN]: '{"timeouts":{"callMs":1}}' },
      expected: BRIDGE_DEFAULTS,
    },
    {
      title: 'all settings',
      texts: {
        [OWN]: JSON.stringify({
          mcpBridge: {
            socketPath: '/s',
            autoConnect: false,
            reconnect: { enabled: false, maxAttempts: 2, initialDelayMs: 3 },
          },
          client: { id: 'me' },
          timeouts: { shutdownMs: 4 },
        }),
      },
      expected: {
        autoConnect: false,
        reconnect: { enabled: false, maxAttempts: 2, initialDelayMs: 3 },
        socketPath: '/s',
        clientId: 'me',
        shutdownMs: 4,
      },
    },
    {
      title: 'values that are not numbers',
      texts: { [OWN]: '{"mcpBridge":{"reconnect":{"maxAttempts":-1}}}' },
      expected: BRIDGE_DEFAULTS,
    },
    { title: 'invalid JSON', texts: { [OWN]: '{' }, expected: undefined },
    { title: 'an array', texts: { [OWN]: '[]' }, expected: undefined },
    { title: 'settings in TypeScript', texts: { '/h/.config/portolan/portolan.config.ts': '' }, expected: undefined },
    { title: 'anygpt.config.ts', texts: { '/h/.config/portolan/anygpt.config.ts': '' }, expected: undefined },
    { title: 'anygpt.config.json', texts: { '/h/.config/portolan/anygpt.config.json': '{}' }, expected: undefined },
    {
      title: 'portolan.config.json beside anygpt.config.json',
      texts: { [OWN]: '{"client":{"id":"me"}}', '/h/.config/portolan/anygpt.config.json': '{}' },
      expected: { ...BRIDGE_DEFAULTS, clientId: 'me' },
    },
    { title: 'managed settings', texts: { '/etc/portolan/managed-settings.json': '{}' }, expected: undefined },
  ])('reads $title', ({ texts, expected }) => {
    expect(quickSettings('/h', {}, disk(texts), 'linux')).toEqual(expected);
  });

  it('finds the managed settings on macOS, and requires the full reader on an unknown platform', () => {
    const managed = '/Library/Application Support/Portolan/managed-settings.json';
    const seen = [
      quickSettings('/h', {}, disk({}), 'darwin'),
      quickSettings('/h', {}, disk({ [managed]: '{}' }), 'darwin'),
      quickSettings('/h', {}, disk({}), 'win32'),
      quickSettings('/h', { XDG_CONFIG_HOME: '/x' }, disk({}), 'linux'),
      quickSettings('/h', { PORTOLAN_TIMEOUTS_SHUTDOWN_MS: '5' }, disk({}), 'linux'),
    ];
    expect(seen).toEqual([BRIDGE_DEFAULTS, undefined, undefined, undefined, undefined]);
  });
});
