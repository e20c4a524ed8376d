import type { Client } from '../client.js';
import { editorBuild } from './vscode-family.js';

export const vscodium: Client = editorBuild('vscodium', 'VSCodium', 'VSCodium');
