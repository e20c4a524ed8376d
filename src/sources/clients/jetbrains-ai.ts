import type { Client } from '../client.js';
import { inventoryDialect } from '../dialects/app-dialects.js';
import { none } from '../expansion.js';
import { single } from '../find-entries.js';

/** An XML file of the IDE in an undocumented format, so only its existence is reported. */
export const jetbrainsAi: Client = {
  id: 'jetbrains-ai',
  name: 'JetBrains AI Assistant',
  places: [
    {
      scope: 'user',
      path: {
        darwin: '~/Library/Application Support/JetBrains/*/options/llm.mcpServers.xml',
        linux: '<XDG_CONFIG_HOME|~/.config>/JetBrains/*/options/llm.mcpServers.xml',
        win32: '<APPDATA|~/AppData/Roaming>/JetBrains/*/options/llm.mcpServers.xml',
      },
      format: 'text',
      find: () => single('jetbrains-ai', {}, [1]),
      dialect: inventoryDialect,
      expansion: none,
      precedence: 0,
    },
  ],
};
