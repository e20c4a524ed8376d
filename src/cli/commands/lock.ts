import type { scanMachine } from '../../discovery/index.js';
import { writeLock } from '../../use-cases/index.js';
import { type Command, EXIT, flags, SCAN_OPTIONS, scanFlags } from '../runtime/command.js';
import { noServerLines } from '../runtime/no-servers.js';
import { plural, shortPath } from '../runtime/terminal-text.js';

export function lockCommand(discover: typeof scanMachine): Command {
  return {
    name: 'lock',
    group: 'Approve and secure',
    summary: 'write your approvals to portolan.lock.json for your team',
    usage: 'portolan lock [--json]',
    options: SCAN_OPTIONS,
    examples: [{ line: 'portolan lock', does: 'write portolan.lock.json, to review and commit' }],
    async run(args, io) {
      const { values } = flags(this, args, SCAN_OPTIONS, { mostWords: 0 });
      const discovery = await discover(scanFlags(values));
      const { path, count } = await writeLock(discovery);
      if (!values.json) for (const line of noServerLines(discovery, scanFlags(values))) io.out(line);
      io.out(
        values.json
          ? JSON.stringify({ file: path, servers: count })
          : `${plural(count, 'server')} in ${shortPath(path, io.home)}`,
      );
      return EXIT.ok;
    },
  };
}
