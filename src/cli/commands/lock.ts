import type { scanMachine } from '../../discovery/index.js';
import { writeLock } from '../../use-cases/index.js';
import { type Command, EXIT, flags, SCAN_OPTIONS, scanFlags } from '../runtime/command.js';
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
      const { path, count } = await writeLock(await discover(scanFlags(values)));
      io.out(
        values.json
          ? JSON.stringify({ file: path, servers: count })
          : `${plural(count, 'server')} in ${shortPath(path, io.home)}`,
      );
      return EXIT.ok;
    },
  };
}
