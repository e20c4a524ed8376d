import type { Client, Place } from '../client.js';
import { deprecated, extensionStorage } from '../common-places.js';
import { rooDialect } from '../dialects/editor-dialects.js';
import { envColon, expansion, WHOLE_ENTRY } from '../expansion.js';
import { under } from '../find-entries.js';
import { DISABLED } from '../off-switches.js';
import { opencodeInstallation, opencodePlace } from './opencode-family.js';

/** The files of the generation that was based on Roo Code; the current one is based on OpenCode. */
const older = {
  format: 'json',
  find: under('mcpServers'),
  dialect: rooDialect,
  expansion: expansion([envColon], { fields: WHOLE_ENTRY }),
  off: DISABLED,
} satisfies Partial<Place>;

export const kiloCode: Client = {
  id: 'kilo-code',
  name: 'Kilo Code',
  layered: true,
  places: [
    {
      ...older,
      scope: 'user',
      path: extensionStorage('kilocode.kilo-code/settings/mcp_settings.json'),
      precedence: 10,
    },
    {
      ...opencodePlace,
      scope: 'user',
      path: '~/.config/kilo/{config.json,kilo.json,kilo.jsonc,opencode.json,opencode.jsonc}',
      precedence: 20,
      install: { ...opencodeInstallation, file: '~/.config/kilo/kilo.json' },
    },
    {
      ...older,
      scope: 'project',
      path: ['<project>/.kilocode/mcp.json', '<project>/.kilo/mcp.json'],
      precedence: 25,
      remark: deprecated('Kilo Code no longer reads this file', 'move them to kilo.json, under "mcp"'),
    },
    {
      ...opencodePlace,
      scope: 'project',
      path: ['<project>/kilo.{json,jsonc}', '<project>/.kilo/kilo.{json,jsonc}'],
      precedence: 30,
    },
  ],
};
