import { variable } from '../../model/index.js';
import type { Client } from '../client.js';
import { gooseDialect } from '../dialects/agent-dialects.js';
import { type ExpansionContext, expansion, type Rule } from '../expansion.js';
import { at, isFields, names } from '../fields.js';
import { type Finder, under } from '../find-entries.js';
import { NOT_ENABLED } from '../off-switches.js';

/** The prefix for names of secrets that are stored only in the keyring. */
const IN_KEYRING = 'keyring:';

/** A reference sees only the entry's own variables and secrets, not the environment. */
function meaning(name: string, { variables }: ExpansionContext): ReturnType<Rule['meaning']> {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (value !== undefined) return { kind: 'value', value };
  return Object.hasOwn(variables, `${IN_KEYRING}${name}`) ? { kind: 'input', id: name } : { kind: 'missing', name };
}

const braced: Rule = { pattern: String.raw`\$\{\s*([A-Za-z_]\w*)\s*\}`, meaning };
const bare: Rule = { pattern: String.raw`\$([A-Za-z_]\w*)`, meaning };

/** Secrets are in a keyring unless the environment contains them. */
const extensions: Finder = (root, file) => {
  const found = under('extensions')(root, file);
  const entries = found.entries.map((entry) => {
    const envs = at(entry.value, 'envs');
    const given = Object.entries(isFields(envs) ? envs : {}).flatMap(([name, value]): [string, string][] =>
      typeof value === 'object' ? [] : [[name, String(value)]],
    );
    const secrets = names(at(entry.value, 'env_keys')).map((name): [string, string] => {
      const value = variable(file.host, name);
      return value === undefined ? [`${IN_KEYRING}${name}`, ''] : [name, value];
    });
    return { ...entry, variables: Object.fromEntries([...given, ...secrets]) };
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
      off: NOT_ENABLED,
      install: {
        key: ['extensions'],
        entry: ({ command, args }, name) => ({ enabled: true, type: 'stdio', name, cmd: command, args, timeout: 300 }),
      },
    },
  ],
};
