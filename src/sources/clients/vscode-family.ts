import type { Client, Installation, Place } from '../client.js';
import { editorUserFolder } from '../common-places.js';
import { vscodeDialect } from '../dialects/editor-dialects.js';
import { editorCommand, editorFolders, envColon, expansion, input } from '../expansion.js';
import { at } from '../fields.js';
import { allOf, type Finder, ignoredUnder, membersOf, under } from '../find-entries.js';

/** Variables as the editor resolves them; one that is not set becomes nothing. */
const vscodeExpansion = expansion([input, envColon, editorCommand, editorFolders], {
  fields: ['command', 'args', 'env', 'cwd', 'url', 'headers', 'envFile'],
  unset: 'empty',
});

/** `servers`, and not `mcpServers`, which other programs like to write here. */
const vscodeServers = allOf(under('servers'), ignoredUnder('mcpServers', 'servers', 'the editor'));

/** `mcp` among the editor's settings, nested or with a dot in the key; its questions are spelled as its servers are. */
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

/** The places that every build of the editor has under its own name. */
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

/** A build of the editor that has nothing but its own user folder. */
export function editorBuild(id: string, name: string, editor: string, more: readonly Place[] = []): Client {
  return { id, name, places: [...editorPlaces(editor), ...more] };
}
