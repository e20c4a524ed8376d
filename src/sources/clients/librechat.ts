import type { Client, ReadContext, StateRule } from '../client.js';
import { librechatDialect } from '../dialects/app-dialects.js';
import { braced, expansion, template } from '../expansion.js';
import { at, names } from '../fields.js';
import { under } from '../find-entries.js';
import { resolveTemplate } from '../path-template.js';

const FILE = '<CONFIG_PATH|~/LibreChat/librechat.yaml>';

/** A server for many users; the values of a user's variables are known only when that user sends a request. */
export const librechat: Client = {
  id: 'librechat',
  name: 'LibreChat',
  places: [
    {
      scope: 'server',
      path: ['<project>/librechat.yaml', FILE],
      format: 'yaml',
      find: under('mcpServers'),
      dialect: librechatDialect,
      expansion: expansion([template, braced]),
      precedence: 10,
    },
  ],
  judge,
};

/** LibreChat rejects servers on hosts that are not listed. */
async function judge({ host, read }: ReadContext): Promise<StateRule> {
  const lists = new Map<string, string[]>();
  for (const { path } of ['<project>/librechat.yaml', FILE].flatMap((one) => resolveTemplate(one, host))) {
    const domains = at((await read(path, 'yaml'))?.value, 'mcpSettings', 'allowedDomains');
    if (Array.isArray(domains)) lists.set(path, names(domains));
  }
  return ({ source, url }) => {
    const domains = lists.get(source);
    if (!domains || url === undefined || !URL.canParse(url)) return undefined;
    const { hostname } = new URL(url);
    return domains.some((domain) => isWithin(hostname, domain)) ? undefined : { state: 'blocked-by-policy' };
  };
}

/** Matches `example.com`, `*.example.com`, or a URL, of which only the host counts. */
function isWithin(hostname: string, domain: string): boolean {
  const name = domain
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/[:/].*$/, '')
    .toLowerCase();
  return name.startsWith('*.') ? hostname.endsWith(name.slice(1)) : hostname === name;
}
