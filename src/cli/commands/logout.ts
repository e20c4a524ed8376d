import type { scanMachine } from '../../discovery/index.js';
import { explain, signOut } from '../../use-cases/index.js';
import { type Command, EXIT, flags, needed, SCAN_OPTIONS, scanFlags } from '../runtime/command.js';
import { unknownServer } from '../runtime/no-servers.js';
import { visible } from '../runtime/terminal-text.js';

export function logoutCommand(discover: typeof scanMachine, leave: typeof signOut = signOut): Command {
  return {
    name: 'logout',
    group: 'Approve and secure',
    summary: 'delete and revoke the tokens of a remote server',
    usage: 'portolan logout <server> [--json]',
    options: SCAN_OPTIONS,
    words: 'server',
    examples: [{ line: 'portolan logout linear', does: 'delete the tokens and revoke them' }],
    async run(args, io) {
      const { values, positionals } = flags(this, args, SCAN_OPTIONS, { mostWords: 1 });
      const [wanted] = needed(this, positionals, ['server']);
      const discovery = await discover(scanFlags(values));
      const name = explain(discovery, wanted)?.server?.name;
      const outcome = await leave(discovery, name ?? wanted);
      if (outcome.kind === 'not-signed-in' && name === undefined) throw unknownServer(wanted, discovery);
      if (values.json) io.out(JSON.stringify({ server: name ?? wanted, ...outcome }, null, 2));
      else if (outcome.kind === 'not-signed-in') io.out(`You are not signed in to ${visible(wanted)}.`);
      else {
        io.out(`Signed out of ${visible(wanted)}.`);
        if (!outcome.revoked)
          io.out(
            'The token was deleted here, but not revoked at the authorization server: there it stays valid until it expires.',
          );
      }
      return EXIT.ok;
    },
  };
}
