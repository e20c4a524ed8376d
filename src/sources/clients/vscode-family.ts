import type { Client, Installation, Place } from '../client.js';
import { editorUserFolder } from '../common-places.js';
import { vscodeDialect } from '../dialects/editor-dialects.js';
import { editorCommand, editorFolders, envColon, expansion, input } from '../expansion.js';
import { at } from '../fields.js';
import { allOf, type Finder, ignoredUnder, membersOf, under } from '../find-entries.js';

/** Variables as the editor expands them; an unset one becomes an empty string. */
const vscodeExpansion = expansion([input, envColon, editorCommand, editorFolders], {
  fields: ['command', 'args', 'env', 'cwd', 'url', 'headers', 'envFile'],
  unset: 'empty',
});

/** `servers`; entries under `mcpServers`, which other programs write to this file, are reported as ignored. */
const vscodeServers = allOf(under('servers'), ignoredUnder('mcpServers', 'servers', 'the editor'));

/** `mcp` in the editor's settings, nested or as a dotted key; its inputs use the same form. */
export function settingsServers(...path: readonly string[]): Finder {
  const dotted: Finder = (root) => {
    const inputs = at(root, ...path, 'mcp.inputs');
    const shared = Array.isArray(inputs) ? { inputs } : {};
    return membersOf(at(root, ...path, 'mcp.servers'), [...path, 'mcp.servers'], shared);
  };
  return allOf(under(...path, 'mcp', 'servers'), dotted);
}

export const vscodePlace = {
  format: 'json',
  find: vscodeServers,
  dialect: vscodeDialect,
  expansion: vscodeExpansion,
} satisfies Partial<Place>;

export const vscodeInstallation: Installation = {
  key: ['servers'],
  entry: (program) => ({ type: 'stdio', ...program }),
};

/** The places of every editor of the family, below the editor's own directory. */
export function editorPlaces(editor: string): Place[] {
  return [
    {
      ...vscodePlace,
      scope: 'user',
      path: editorUserFolder(editor, 'mcp.json'),
      precedence: 20,
      install: vscodeInstallation,
    },
    { ...vscodePlace, scope: 'profile', path: editorUserFolder(editor, 'profiles/*/mcp.json'), precedence: 20 },
  ];
}

/** An editor of the family that has only its own user directory. */
export function editorBuild(id: string, name: string, editor: string, more: readonly Place[] = []): Client {
  return { id, name, places: [...editorPlaces(editor), ...more] };
}
