import { splitWords } from '../../base/index.js';
import type { Client, Place } from '../client.js';
import { crushDialect } from '../dialects/agent-dialects.js';
import { inventoryDialect } from '../dialects/app-dialects.js';
import { bare, braced, expansion, none, substitution } from '../expansion.js';
import { type Finder, single, under } from '../find-entries.js';
import { DISABLED } from '../off-switches.js';

const HOME = '<CRUSH_GLOBAL_CONFIG|XDG_CONFIG_HOME/crush|~/.config/crush>';

const common = {
  format: 'json',
  find: under('mcp'),
  dialect: crushDialect,
  // Crush runs `$(…)` when it starts. Portolan never does.
  expansion: expansion([substitution, braced, bare], { unset: 'empty' }),
  off: DISABLED,
} satisfies Partial<Place>;

/** The servers that a shell script adds, as far as they can be parsed without running it. */
const scriptServers: Finder = (root) => {
  const lines = typeof root === 'string' ? root.split('\n') : [];
  const entries = lines.flatMap((line, n) => {
    const [program, verb, name, ...rest] = splitWords(line.trim());
    if (program !== 'mcp' || verb !== 'add' || name === undefined || name.startsWith('-')) return [];
    const url = rest.find((word) => /^(https?|wss?):\/\//.test(word));
    return [{ name, value: url === undefined ? {} : { url }, path: [n + 1] }];
  });
  return entries.length > 0 ? { entries, problems: [] } : single('crushrc', {}, [1]);
};

const script = {
  format: 'text',
  find: scriptServers,
  dialect: inventoryDialect,
  expansion: none,
  precedence: 30,
} satisfies Partial<Place>;

export const crush: Client = {
  id: 'crush',
  name: 'Crush',
  places: [
    {
      ...common,
      scope: 'managed',
      path: { darwin: '/etc/crush/crush.json', linux: '/etc/crush/crush.json' },
      precedence: 5,
    },
    {
      ...common,
      scope: 'user',
      path: `${HOME}/crush.json`,
      precedence: 10,
      install: { key: ['mcp'], entry: (program) => ({ type: 'stdio', ...program }) },
    },
    { ...common, scope: 'project', path: '<up>/{.crush.json,crush.json}', precedence: 20 },
    { ...script, scope: 'user', path: [`${HOME}/crushrc`, '~/.config/crush/crushrc'] },
    { ...script, scope: 'project', path: '<up>/{.crushrc,crushrc}' },
  ],
};
