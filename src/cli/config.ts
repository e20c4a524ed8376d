import type { discoverAll } from '../app/index.js';
import { ErrorCode, PortolanError } from '../base/index.js';
import { CHART_OPTIONS, type Command, chartFlags, EXIT, flags } from './command.js';
import { type Cell, plural, shortPath, table } from './text.js';

export function configCommand(discover: typeof discoverAll): Command {
  return {
    name: 'config',
    summary: 'show every place that was looked at and what was there',
    usage: 'portolan config sources [--json] [--found] [--client ID,…] [--config FILE|FOLDER]',
    async run(args, io) {
      const { values, positionals } = flags(this, args, { ...CHART_OPTIONS, found: { type: 'boolean' } });
      if (positionals[0] !== 'sources') {
        throw new PortolanError(ErrorCode.Usage, positionals[0] ? `config cannot ${positionals[0]}` : 'config what?', {
          hint: `usage: ${this.usage}`,
        });
      }
      const { looks } = await discover(chartFlags(values));
      const shown = values.found ? looks.filter((look) => look.found !== 'absent') : looks;
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
      const there = looks.filter((look) => look.found !== 'absent').length;
      io.out('');
      io.out(`${plural(looks.length, 'place')} looked at, ${there} there`);
      return EXIT.ok;
    },
  };
}
