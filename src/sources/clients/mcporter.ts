import type { Client, Place } from '../client.js';
import { mcporterDialect } from '../dialects/app-dialects.js';
import { braced, dollarEnv, expansion } from '../expansion.js';
import { under } from '../find-entries.js';

const common = {
  format: 'json',
  find: under('mcpServers'),
  dialect: mcporterDialect,
  expansion: expansion([braced, dollarEnv], { unset: 'fail' }),
} satisfies Partial<Place>;

export const mcporter: Client = {
  id: 'mcporter',
  name: 'mcporter',
  places: [
    {
      ...common,
      scope: 'user',
      path: '<XDG_CONFIG_HOME/mcporter|~/.mcporter>/mcporter.{json,jsonc}',
      precedence: 10,
      firstOnly: true,
      install: { key: ['mcpServers'] },
      unless: 'MCPORTER_CONFIG',
    },
    // This file replaces both others.
    { ...common, scope: 'user', path: '<MCPORTER_CONFIG>', precedence: 30 },
    {
      ...common,
      scope: 'project',
      path: '<project>/config/mcporter.json',
      precedence: 20,
      unless: 'MCPORTER_CONFIG',
    },
  ],
};
