import type { Client } from '../client.js';
import { gooseDialect } from '../dialects/agents.js';
import { bare, braced, expansion } from '../expansion.js';
import { isFields, names, optionalRecord } from '../fields.js';
import { type Finder, under } from '../find.js';
import { variable } from '../host.js';

/** References in URL and headers see the entry's own variables; secrets are in a keyring unless the environment has them. */
const extensions: Finder = (root, file) => {
  const found = under('extensions')(root, file);
  const entries = found.entries.map((entry) => {
    if (!isFields(entry.value)) return entry;
    const given = isFields(entry.value.envs) ? optionalRecord(entry.value, 'envs') : {};
    const secrets = names(entry.value.env_keys).flatMap((name) => {
      const value = variable(file.host, name);
      return value === undefined ? [] : [[name, value]];
    });
    return { ...entry, variables: { ...given, ...Object.fromEntries(secrets) } };
  });
  return { ...found, entries };
};

export const goose: Client = {
  id: 'goose',
  name: 'Goose',
  places: [
    {
      scope: 'user',
      path: {
        darwin: '<GOOSE_PATH_ROOT/config|~/.config/goose>/config.yaml',
        linux: '<GOOSE_PATH_ROOT/config|XDG_CONFIG_HOME/goose|~/.config/goose>/config.yaml',
        win32: '<GOOSE_PATH_ROOT/config|APPDATA/Block/goose/config|~/AppData/Roaming/Block/goose/config>/config.yaml',
      },
      format: 'yaml',
      find: extensions,
      dialect: gooseDialect,
      expansion: expansion([braced, bare], { fields: ['url', 'headers'] }),
      precedence: 10,
    },
  ],
};
