import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { scanMachine } from '../../src/discovery/index.js';
import { CLIENTS } from '../../src/sources/index.js';
import { makeMachine, PLATFORMS, type Platform } from '../support/machine.js';

interface Row {
  readonly id: string;
  readonly client: string;
  readonly scope: string;
  readonly os: 'all' | 'macos' | 'linux' | 'windows';
  readonly path: string;
  readonly format: string;
}

const file = join(dirname(fileURLToPath(import.meta.url)), '../reference/clients.json');
const rows: Row[] = JSON.parse(readFileSync(file, 'utf8'));
const OS: Readonly<Record<Platform, Row['os']>> = { darwin: 'macos', linux: 'linux', win32: 'windows' };

/** Parts of rows that do not define servers, and why. */
const NOT_SOURCES: readonly { readonly path: RegExp; readonly because: string }[] = [
  { path: /^\(/, because: 'an account, a database, or the files of another row' },
  {
    path: /\.docker\/mcp\/(config|tools|catalog)/,
    because: 'settings, and catalogs of the servers in registry.yaml',
  },
  { path: /toolhive\/config\.yaml/, because: 'settings; the servers are in the run configurations' },
];

const FOLDERS: Readonly<Record<Platform, string>> = {
  darwin: '~/Library/Application Support',
  linux: '~/.config',
  win32: '~/AppData/Roaming',
};

/** The paths that a row of the table describes. */
function concrete(row: Row, platform: Platform): string[] {
  const parts = row.path
    .split(/ ; | else |, (?=<project>)/)
    .map((part) =>
      part.replace(/^(legacy|IDE:|community extension:|first of) /, '').replace(/ \((also|when|\+).*$/, ''),
    )
    .map((part) =>
      part
        .replaceAll('\\', '/')
        .replace('[c]', '')
        .replace(/^\$\{\w+:-([^}]*)\}/, '$1'),
    );
  return parts
    .filter((part) => !NOT_SOURCES.some(({ path }) => path.test(part)))
    .flatMap(expandBraces)
    .filter((part) => !NOT_SOURCES.some(({ path }) => path.test(part)))
    .map((part) =>
      part
        .replace('$XDG_CONFIG_HOME/mcporter', '~/.mcporter')
        .replace(
          '$XDG_STATE_HOME',
          { linux: '~/.local/state', darwin: FOLDERS.darwin, win32: '~/AppData/Local' }[platform],
        )
        .replace('%APPDATA%', '~/AppData/Roaming')
        .replace('%LOCALAPPDATA%', '~/AppData/Local')
        .replace('%USERPROFILE%', '~')
        .replace(/^%ProgramData%|^C:\/ProgramData/, '/ProgramData')
        .replace('%ProgramFiles%', '/Program Files')
        .replace('<IDE config dir>', `${FOLDERS[platform]}/JetBrains/IntelliJIdea2026.2`)
        .replace('<extension support dir>', `${FOLDERS.darwin}/com.raycast.macos/extensions/mcp`)
        .replace(/^<(project|cwd|repo|git root|solution|LibreChat)[^>]*>/, '<project>')
        .replaceAll('**', 'a/b/c')
        .replaceAll('*', 'x'),
    );
}

function expandBraces(path: string): string[] {
  const match = /^(.*?)\{([^{}]*)\}(.*)$/.exec(path);
  if (!match) return [path];
  const [, before = '', choices = '', after = ''] = match;
  return choices.split(',').flatMap((choice) => expandBraces(`${before}${choice}${after}`));
}

describe('the reference table of clients', () => {
  it('lists the clients in the order of the client table, except Portolan', () => {
    expect(CLIENTS.map(({ id }) => id)).toEqual([...new Set(rows.map(({ client }) => client)), 'portolan']);
  });

  const places = rows.filter(({ scope }) => scope !== 'policy');
  for (const platform of PLATFORMS) {
    const here = places.filter(({ os }) => os === 'all' || os === OS[platform]);
    const cases = here.flatMap((row) =>
      concrete(row, platform).map((path) => ({
        id: row.id,
        client: row.client,
        path,
        text: row.format === 'toml' ? '' : '{}',
      })),
    );
    it.each(cases)(`${platform}: $id is read from $path`, async ({ client, path, text }) => {
      using machine = makeMachine();
      machine.write({ [path]: text });
      const { pathReadings } = await scanMachine(machine.options({ platform, clients: [client] }));
      expect(pathReadings.filter((look) => look.found === 'read').map((look) => look.path)).toContain(
        machine.path(path),
      );
    });
  }

  it('is parsed completely', () => {
    const found = PLATFORMS.flatMap((platform) => places.flatMap((row) => concrete(row, platform)));
    expect(new Set(found).size).toBeGreaterThan(150);
    expect(found.filter((path) => /[<>$%{}[\]()*]/.test(path.replace('<project>', '')))).toEqual([]);
  });
});
