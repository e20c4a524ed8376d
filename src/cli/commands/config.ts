import { ErrorCode, PortolanError } from '../../base/index.js';
import type { scanMachine } from '../../discovery/index.js';
import type { Problem } from '../../model/index.js';
import {
  type inspectOwnSettings,
  type OwnSettings,
  rulesForServers,
  settingsJsonSchema,
} from '../../use-cases/index.js';
import { type Command, EXIT, flags, SCAN_OPTIONS, scanFlags, usageError } from '../runtime/command.js';
import { noServerLines } from '../runtime/no-servers.js';
import { suggestion } from '../runtime/suggestion.js';
import { type Cell, plural, shortPath, table } from '../runtime/terminal-text.js';
import { showSettings, validateSettings } from './show-settings.js';

const OPTIONS = {
  ...SCAN_OPTIONS,
  found: { type: 'boolean', about: 'only places where something was found' },
  'show-secrets': { type: 'boolean', about: 'do not mask secrets' },
} as const;

const VERBS = ['show', 'sources', 'validate', 'schema'] as const;

export function configCommand(discover: typeof scanMachine, inspect: typeof inspectOwnSettings): Command {
  return {
    name: 'config',
    group: 'Discover',
    summary: 'show or check settings, or list the places that were read',
    usage:
      'portolan config show [--json] [--show-secrets]\n' +
      '       portolan config sources [--found] [--json] [--client ID,…] [--config FILE|DIR]\n' +
      '       portolan config validate [--json]\n' +
      '       portolan config schema',
    options: OPTIONS,
    words: VERBS,
    examples: [
      { line: 'portolan config sources --found', does: 'list the files that were read' },
      { line: 'portolan config show', does: 'list every setting and its origin' },
      { line: 'portolan config validate', does: 'check the settings files; exit with 2 on an error' },
      { line: 'portolan config schema', does: 'print the JSON schema of a settings file, for editors' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS, { mostWords: 1 });
      const [verb] = positionals;
      const json = values.json === true;
      if (verb === 'show')
        return showSettings(await inspect(), io, { json, showSecrets: values['show-secrets'] === true });
      if (verb === 'validate') return validateSettings(await withServerRules(await inspect(), discover), io, json);
      if (verb === 'schema') {
        io.out(JSON.stringify(await settingsJsonSchema(), null, 2));
        return EXIT.ok;
      }
      if (verb === 'reload') {
        throw new PortolanError(ErrorCode.Usage, 'portolan config has no "reload", and needs none', {
          hint: 'each command reads the settings when it starts, and a running gateway reloads changed files by itself',
        });
      }
      if (verb !== 'sources') {
        throw verb
          ? usageError(this, `has no "${verb}"`, suggestion(verb, VERBS))
          : usageError(this, 'needs show, sources, validate or schema');
      }
      const discovery = await discover(scanFlags(values));
      const { pathReadings } = discovery;
      const shown = values.found ? pathReadings.filter((reading) => reading.found !== 'absent') : pathReadings;
      if (values.json) {
        io.out(JSON.stringify({ sources: shown }, null, 2));
        return EXIT.ok;
      }
      const rows = shown.map(({ client, scope, path, found, servers }): Cell[] => [
        { text: client },
        { text: scope },
        found === 'read'
          ? { text: servers > 0 ? plural(servers, 'server') : 'no servers', style: servers > 0 ? 'green' : 'dim' }
          : { text: found === 'failed' ? 'broken' : 'absent', style: found === 'failed' ? 'red' : 'dim' },
        { text: shortPath(path, io.home) },
      ]);
      const head = ['CLIENT', 'SCOPE', 'FOUND', 'PLACE'].map((text): Cell => ({ text, style: 'bold' }));
      for (const line of table([head, ...rows], io)) io.out(line);
      if (shown.length === 0) io.out('nothing was found in any of these places');
      const there = pathReadings.filter((reading) => reading.found !== 'absent').length;
      io.out('');
      io.out(`${plural(pathReadings.length, 'place')} checked, ${there} found`);
      for (const line of noServerLines(discovery, scanFlags(values))) io.out(line);
      return EXIT.ok;
    },
  };
}

/** Rules can match server names, so validation scans for servers if there are rules and the settings are valid. */
async function withServerRules(own: OwnSettings, discover: typeof scanMachine): Promise<OwnSettings> {
  const isUsable = own.problems.every(({ severity }) => severity !== 'error');
  if (!isUsable || own.settings.toolRules.length === 0) return own;
  const found = await rulesForServers(await discover({})).catch(unreadablePattern);
  return { ...own, problems: [...own.problems, ...found] };
}

function unreadablePattern(error: unknown): Problem[] {
  if (!(error instanceof PortolanError) || error.code !== ErrorCode.InvalidPattern) throw error;
  const { message, hint = 'correct the pattern' } = error;
  return [{ code: 'settings-invalid', severity: 'error', message, hint }];
}
