import type { scanMachine } from '../../discovery/index.js';
import { explain, signIn } from '../../use-cases/index.js';
import { type Command, EXIT, flags, type Io, needed, SCAN_OPTIONS, scanFlags } from '../runtime/command.js';
import { unknownServer } from '../runtime/no-servers.js';
import { visible } from '../runtime/terminal-text.js';

const OPTIONS = {
  ...SCAN_OPTIONS,
  'no-browser': { type: 'boolean', about: 'print the URL of the page instead of opening it' },
} as const;

export function loginCommand(discover: typeof scanMachine, enter: typeof signIn = signIn): Command {
  return {
    name: 'login',
    group: 'Approve and secure',
    summary: 'sign in to a remote server in your browser',
    usage: 'portolan login <server> [--no-browser] [--json]',
    options: OPTIONS,
    words: 'server',
    examples: [
      { line: 'portolan login linear', does: 'open the sign-in page of the server' },
      { line: 'portolan login linear --no-browser', does: 'print the URL, on a machine without a browser' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS, { mostWords: 1 });
      const [wanted] = needed(this, positionals, ['server']);
      const discovery = await discover(scanFlags(values));
      const server = explain(discovery, wanted)?.server;
      if (!server) throw unknownServer(wanted, discovery);
      const isJson = values.json === true;
      const signedIn = await enter(discovery, server.name, {
        print: (page, opened) => tellPage(io, page, opened),
        ...(values['no-browser'] && { openBrowser: async () => false }),
      });
      const who = signedIn.who === undefined ? '' : ` as ${visible(signedIn.who)}`;
      if (isJson) io.out(JSON.stringify(signedIn, null, 2));
      else io.out(`Signed in to ${visible(server.name)}${who}, by ${visible(signedIn.issuer)}.`);
      return EXIT.ok;
    },
  };
}

/** On stderr: with --json, stdout is for a program. */
function tellPage(io: Io, page: string, opened: boolean): void {
  io.err(opened ? 'Your browser shows the sign-in page. If it does not, open:' : 'Open this page in a browser:');
  io.err(`  ${page}`);
  if (opened) return;
  io.err('If the browser is on another machine, it cannot open the last page, an address of 127.0.0.1.');
  io.err("  Copy that address, and run in another terminal on this machine: curl '<address>'");
}
