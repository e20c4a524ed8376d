import type { Client } from '../client.js';
import type { Dialect } from '../dialect.js';
import { none } from '../expansion.js';
import { at, field, InvalidEntry, isFields, optionalString } from '../fields.js';
import type { Finder } from '../find-entries.js';

/** Connections are in a database, which a variable can fill at the first start. */
const connections: Finder = (root) => {
  const entries = (Array.isArray(root) ? root : []).flatMap((value: unknown, n) => {
    if (at(value, 'type') !== 'mcp') return [];
    const names = [at(value, 'info', 'name'), at(value, 'info', 'id'), at(value, 'name')];
    const name = names.find((one): one is string => typeof one === 'string' && one !== '');
    return [{ name: name ?? `mcp-${n + 1}`, value, path: [n] }];
  });
  return { entries, problems: [] };
};

const connection: Dialect = (entry) => {
  const url = optionalString(entry, 'url');
  if (!url) throw new InvalidEntry('it has no "url"', 'a connection needs a "url"');
  // A key left over from another authentication type is not sent.
  const sent = ['bearer', undefined].includes(optionalString(entry, 'auth_type'));
  const key = sent ? optionalString(entry, 'key') : undefined;
  const config = field(entry, 'config');
  return {
    transport: 'http',
    enabled: !(isFields(config) && config.enable === false),
    problems: [],
    url,
    ...(key ? { headers: { Authorization: `Bearer ${key}` } } : {}),
  };
};

export const openWebui: Client = {
  id: 'open-webui',
  name: 'Open WebUI',
  places: [
    {
      scope: 'server',
      path: [],
      variable: 'TOOL_SERVER_CONNECTIONS',
      format: 'json',
      find: connections,
      dialect: connection,
      expansion: none,
      precedence: 10,
    },
  ],
};
