import type { Client, Place } from '../client.js';
import { editorUserFolder } from '../common-places.js';
import { vscodeDialect } from '../dialects/editors.js';
import { editorCommand, editorFolders, envColon, expansion, input } from '../expansion.js';
import { firstOf, ignoredUnder, under } from '../find.js';

/** Variables as the editor resolves them; one that is not set becomes nothing. */
export const vscodeExpansion = expansion([input, envColon, editorCommand, editorFolders], {
  fields: ['command', 'args', 'env', 'cwd', 'url', 'headers', 'envFile'],
  unset: 'empty',
});

/** `servers`, and not `mcpServers`, which other programs like to write here. */
export const vscodeServers = firstOf(under('servers'), ignoredUnder('mcpServers', 'servers', 'VS Code'));

export const vscodePlace = {
  format: 'json',
  find: vscodeServers,
  dialect: vscodeDialect,
  expansion: vscodeExpansion,
} satisfies Partial<Place>;

/** The places that every build of the editor has under its own name. */
export function editorPlaces(editor: string): Place[] {
  return [
    { ...vscodePlace, scope: 'user', path: editorUserFolder(editor, 'mcp.json'), precedence: 20 },
    { ...vscodePlace, scope: 'profile', path: editorUserFolder(editor, 'profiles/*/mcp.json'), precedence: 20 },
  ];
}

/** A build of the editor that has nothing but its own user folder. */
export function editorBuild(id: string, name: string, editor: string, more: readonly Place[] = []): Client {
  return { id, name, places: [...editorPlaces(editor), ...more] };
}
