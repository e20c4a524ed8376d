import type { Client } from '../client.js';
import { applicationData, deprecated } from '../common-places.js';
import { claudeDialect } from '../dialects/claude-dialects.js';
import { none } from '../expansion.js';
import { allOf, alsoUnder, under } from '../find-entries.js';
import { editorPlaces, settingsServers, vscodePlace } from './vscode-family.js';

export const vscode: Client = {
  id: 'vscode',
  name: 'VS Code',
  places: [
    ...editorPlaces('Code'),
    {
      ...vscodePlace,
      scope: 'user',
      path: applicationData('Code/User/settings.json'),
      find: settingsServers(),
      precedence: 10,
      remark: deprecated(
        'VS Code no longer reads servers from its settings',
        'move them to mcp.json in the same directory, under "servers"',
      ),
    },
    // Trust is stored in a database of the editor, bound to a hash of the entry.
    {
      ...vscodePlace,
      scope: 'project',
      path: '<project>/.vscode/mcp.json',
      find: allOf(under('servers'), alsoUnder('mcpServers', 'servers', 'VS Code')),
      precedence: 30,
      rank: 4,
      state: 'pending-approval',
    },
    {
      scope: 'project',
      path: '<project>/.mcp.json',
      format: 'json',
      find: under('mcpServers'),
      dialect: claudeDialect,
      expansion: none,
      borrowed: true,
      precedence: 25,
      state: 'pending-approval',
    },
    {
      ...vscodePlace,
      scope: 'project',
      path: '<project>/*.code-workspace',
      find: settingsServers('settings'),
      precedence: 12,
      state: 'pending-approval',
    },
    {
      // For use inside a container: the commands may not exist on this machine.
      ...vscodePlace,
      scope: 'project',
      path: [
        '<project>/.devcontainer/devcontainer.json',
        '<project>/.devcontainer.json',
        '<project>/.devcontainer/*/devcontainer.json',
      ],
      find: under('customizations', 'vscode', 'mcp', 'servers'),
      precedence: 15,
      state: 'inventory-only',
    },
    { ...vscodePlace, scope: 'user', path: { linux: '~/.vscode-server/data/User/mcp.json' }, precedence: 20 },
  ],
};
