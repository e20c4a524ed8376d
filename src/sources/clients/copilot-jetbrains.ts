import type { Client } from '../client.js';
import { vscodeInstallation, vscodePlace } from './vscode-family.js';

export const copilotJetbrains: Client = {
  id: 'copilot-jetbrains',
  name: 'GitHub Copilot for JetBrains and Xcode',
  places: [
    {
      ...vscodePlace,
      scope: 'user',
      path: {
        darwin: ['~/.config/github-copilot/intellij/mcp.json', '~/.config/github-copilot/xcode/mcp.json'],
        linux: '~/.config/github-copilot/intellij/mcp.json',
        win32: '<LOCALAPPDATA|~/AppData/Local>/github-copilot/intellij/mcp.json',
      },
      precedence: 10,
      install: vscodeInstallation,
    },
  ],
};
