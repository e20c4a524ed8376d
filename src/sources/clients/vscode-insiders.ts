import type { Client } from '../client.js';
import { editorBuild, vscodePlace } from './vscode-family.js';

export const vscodeInsiders: Client = editorBuild('vscode-insiders', 'VS Code Insiders', 'Code - Insiders', [
  { ...vscodePlace, scope: 'user', path: { linux: '~/.vscode-server-insiders/data/User/mcp.json' }, precedence: 20 },
]);
