import { dirname } from 'node:path';
import type { Host } from '../../model/index.js';
import type { Client, Place, ReadContext, StateRule } from '../client.js';
import { applicationData } from '../common-places.js';
import { claudeDesktopDialect } from '../dialects/claude-dialects.js';
import { expansion, none } from '../expansion.js';
import { under } from '../find-entries.js';
import { resolveTemplate } from '../path-template.js';
import { manifestReference, manifestServer } from './claude-desktop-manifest.js';

/** The Store package has its own copy of the directory; if it exists, the usual directory is not read. */
const PACKAGE = '<LOCALAPPDATA|~/AppData/Local>/Packages/Claude_*';
const PACKAGED_FOLDER = `${PACKAGE}/LocalCache/Roaming/Claude`;

const config = {
  scope: 'user',
  format: 'json',
  find: under('mcpServers'),
  dialect: claudeDesktopDialect,
  expansion: none,
  install: { key: ['mcpServers'] },
} satisfies Partial<Place>;

const extension = {
  scope: 'extension',
  format: 'json',
  find: manifestServer,
  dialect: claudeDesktopDialect,
  expansion: expansion([manifestReference]),
  precedence: 5,
} satisfies Partial<Place>;

const usual: readonly Place[] = [
  { ...config, path: applicationData('Claude/claude_desktop_config.json'), precedence: 10 },
  { ...extension, path: applicationData('Claude/Claude Extensions/*/manifest.json') },
];
const packaged: readonly Place[] = [
  { ...config, path: { win32: `${PACKAGED_FOLDER}/claude_desktop_config.json` }, precedence: 20 },
  { ...extension, path: { win32: `${PACKAGED_FOLDER}/Claude Extensions/*/manifest.json` } },
];

export const claudeDesktop: Client = {
  id: 'claude-desktop',
  name: 'Claude Desktop',
  places: [...usual, ...packaged],
  judge,
};

async function judge({ host }: ReadContext): Promise<StateRule> {
  const stale = host.platform === 'win32' && isPackaged(host);
  return (_, place) => {
    if (!stale || !usual.includes(place)) return undefined;
    return {
      state: 'client-ignores',
      problem: {
        code: 'stale-config-file',
        severity: 'warning',
        message: 'Claude Desktop is installed as a Store package and no longer reads this file',
        hint: 'move the entry to claude_desktop_config.json in the directory of the package, below AppData\\Local\\Packages',
      },
    };
  };
}

function isPackaged(host: Host): boolean {
  return resolveTemplate(PACKAGE, host).some(({ path }) => {
    const listing = host.files.list(dirname(path));
    return listing.kind === 'read' && listing.names.some((entry) => entry.folder && entry.name.startsWith('Claude_'));
  });
}
