import { appData } from '../support/machine.js';
import type { Samples } from './sample.js';

const XML =
  '<application><component name="McpServers"><option name="command" value="node" /></component></application>';

export const jetbrainsAi: Samples = {
  client: 'jetbrains-ai',
  samples: [
    {
      title: 'lists the file of each IDE, whose format is not supported',
      files: (platform) => ({
        [appData(platform, 'JetBrains/IntelliJIdea2026.1/options/llm.mcpServers.xml')]: XML,
        [appData(platform, 'JetBrains/PyCharm2026.1/options/llm.mcpServers.xml')]: 'not even XML',
        [appData(platform, 'JetBrains/PyCharm2026.1/options/other.xml')]: XML,
      }),
      expected: (platform) =>
        ['IntelliJIdea2026.1', 'PyCharm2026.1'].map((ide) => ({
          client: 'jetbrains-ai',
          scope: 'user' as const,
          state: 'inventory-only' as const,
          source: appData(platform, `JetBrains/${ide}/options/llm.mcpServers.xml`).replace('~', '<home>'),
        })),
    },
    { title: 'lists nothing without an IDE', files: {}, expected: [] },
  ],
};
