import { matchesWildcard } from '../../base/index.js';
import type { Definition } from '../../model/index.js';
import type { Client, Place, ReadContext, StateRule } from '../client.js';
import { applicationData, systemFile } from '../common-places.js';
import { ampDialect } from '../dialects/editor-dialects.js';
import { braced, expansion } from '../expansion.js';
import { at, isFields } from '../fields.js';
import { under } from '../find-entries.js';
import { DISABLED } from '../off-switches.js';
import { resolveTemplate, templatesFor } from '../path-template.js';

const common = {
  format: 'json',
  find: under('amp.mcpServers'),
  dialect: ampDialect,
  expansion: expansion([braced]),
  off: DISABLED,
} satisfies Partial<Place>;

const userPlace: Place = {
  ...common,
  scope: 'user',
  path: '~/.config/amp/settings.{json,jsonc}',
  precedence: 10,
  install: { key: ['amp.mcpServers'] },
};
const managedPlace: Place = {
  ...common,
  scope: 'managed',
  path: systemFile(
    '/Library/Application Support/ampcode/managed-settings.json',
    '/etc/ampcode/managed-settings.json',
    'ampcode/managed-settings.json',
  ),
  precedence: 100,
};

export const amp: Client = {
  id: 'amp',
  name: 'Amp',
  places: [
    userPlace,
    { ...common, scope: 'user', path: applicationData('Code/User/settings.json'), precedence: 5 },
    { ...common, scope: 'project', path: '<up>/.amp/settings.{json,jsonc}', precedence: 20, state: 'pending-approval' },
    managedPlace,
  ],
  judge,
};

/** Applies the server rules of the settings files in order; the first match decides. */
async function judge({ host, read }: ReadContext): Promise<StateRule> {
  const rules: unknown[] = [];
  for (const place of [managedPlace, userPlace]) {
    for (const { path } of templatesFor(place.path, host.platform).flatMap((one) => resolveTemplate(one, host))) {
      const list = at((await read(path, 'json'))?.value, 'amp.mcpPermissions');
      for (const rule of Array.isArray(list) ? list : []) rules.push(rule);
    }
  }
  return (definition) => {
    const rule = rules.find((one) => fits(at(one, 'matches'), definition));
    return at(rule, 'action') === 'reject' ? { state: 'blocked-by-policy' } : undefined;
  };
}

function fits(matches: unknown, { command, args = [], url }: Definition): boolean {
  if (!isFields(matches)) return false;
  const fields: Readonly<Record<string, string | undefined>> = { command, args: args.join(' '), url };
  return Object.entries(matches).every(([key, pattern]) => {
    const text = Object.hasOwn(fields, key) ? fields[key] : undefined;
    return text !== undefined && typeof pattern === 'string' && matchesWildcard(pattern, text);
  });
}
