import type { Client } from '../client.js';
import { anythingllmDialect } from '../dialects/app-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

const FILE = 'plugins/anythingllm_mcp_servers.json';

export const anythingllm: Client = {
  id: 'anythingllm',
  name: 'AnythingLLM',
  places: [
    {
      scope: 'user',
      path: {
        darwin: `<STORAGE_DIR|~/Library/Application Support/anythingllm-desktop/storage>/${FILE}`,
        linux: `<STORAGE_DIR|XDG_CONFIG_HOME/anythingllm-desktop/storage|~/.config/anythingllm-desktop/storage>/${FILE}`,
        win32: `<STORAGE_DIR|APPDATA/anythingllm-desktop/storage|~/AppData/Roaming/anythingllm-desktop/storage>/${FILE}`,
      },
      format: 'json',
      find: under('mcpServers'),
      dialect: anythingllmDialect,
      expansion: none,
      precedence: 10,
      off: { field: ['anythingllm', 'autoStart'], value: false },
      install: { key: ['mcpServers'] },
    },
  ],
};
