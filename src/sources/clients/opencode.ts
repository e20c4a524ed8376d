import type { Client, Place } from '../client.js';
import { systemFile } from '../common-places.js';
import { opencodeInstallation, opencodePlace } from './opencode-family.js';

export const opencode: Client = {
  id: 'opencode',
  name: 'OpenCode',
  layered: true,
  places: [
    {
      ...opencodePlace,
      scope: 'user',
      path: '<XDG_CONFIG_HOME|~/.config>/opencode/{config.json,opencode.json,opencode.jsonc}',
      precedence: 10,
      install: { ...opencodeInstallation, file: '<XDG_CONFIG_HOME|~/.config>/opencode/opencode.json' },
    },
    { ...opencodePlace, scope: 'user', path: '<OPENCODE_CONFIG>', precedence: 15 },
    { ...opencodePlace, scope: 'user', path: '~/.opencode/opencode.{json,jsonc}', precedence: 30 },
    ...projectPlaces(),
    // A separate directory that is read like `.opencode`, after all of those.
    { ...opencodePlace, scope: 'user', path: '<OPENCODE_CONFIG_DIR>/opencode.{json,jsonc}', precedence: 35 },
    { ...opencodePlace, scope: 'dynamic', path: [], variable: 'OPENCODE_CONFIG_CONTENT', precedence: 40 },
    {
      ...opencodePlace,
      scope: 'managed',
      path: systemFile(
        '/Library/Application Support/opencode/opencode.{json,jsonc}',
        '/etc/opencode/opencode.{json,jsonc}',
        'opencode/opencode.{json,jsonc}',
      ),
      precedence: 100,
    },
  ],
};

function projectPlaces(): Place[] {
  return [
    {
      ...opencodePlace,
      scope: 'project',
      path: '<worktree>/opencode.{json,jsonc}',
      precedence: 20,
      unless: 'OPENCODE_DISABLE_PROJECT_CONFIG',
    },
    {
      ...opencodePlace,
      scope: 'project',
      path: '<worktree>/.opencode/opencode.{json,jsonc}',
      precedence: 31,
      unless: 'OPENCODE_DISABLE_PROJECT_CONFIG',
    },
  ];
}
