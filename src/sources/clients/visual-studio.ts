import type { Client, Place } from '../client.js';
import { firstOf, under } from '../find-entries.js';
import { vscodeInstallation, vscodePlace } from './vscode-family.js';

/** Files of this name are shared with clients that use `mcpServers`, so either key counts. */
const place = { ...vscodePlace, find: firstOf(under('servers'), under('mcpServers')) } satisfies Partial<Place>;

export const visualStudio: Client = {
  id: 'visual-studio',
  name: 'Visual Studio',
  places: [
    { ...place, scope: 'user', path: { win32: '~/.mcp.json' }, precedence: 10, install: vscodeInstallation },
    { ...place, scope: 'project', path: { win32: '<project>/.vs/mcp.json' }, precedence: 20 },
    { ...place, scope: 'project', path: { win32: '<project>/.mcp.json' }, precedence: 21 },
    { ...place, scope: 'project', path: { win32: '<project>/.vscode/mcp.json' }, precedence: 22 },
    { ...place, scope: 'project', path: { win32: '<project>/.cursor/mcp.json' }, precedence: 23 },
  ],
};
