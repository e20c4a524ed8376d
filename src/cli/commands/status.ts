import { type DiscoverOptions, hostOf, scanMachine } from '../../discovery/index.js';
import { credentialPath, type SignedIn, signedIn } from '../../use-cases/index.js';
import { type Command, EXIT, flags, type Io, JSON_OPTIONS } from '../runtime/command.js';
import { noServerLines } from '../runtime/no-servers.js';
import { type Cell, paint, table, visible } from '../runtime/terminal-text.js';

export function statusCommand(
  machine: DiscoverOptions = {},
  read: typeof signedIn = signedIn,
  now: () => number = Date.now,
  discover: typeof scanMachine = scanMachine,
): Command {
  return {
    name: 'status',
    group: 'Approve and secure',
    summary: 'list the remote servers that you are signed in to',
    usage: 'portolan status [--json]',
    options: JSON_OPTIONS,
    examples: [{ line: 'portolan status', does: 'list accounts, and when each sign-in expires' }],
    async run(args, io) {
      const { values } = flags(this, args, JSON_OPTIONS, { mostWords: 0 });
      const all = await read(credentialPath(hostOf(machine)));
      if (values.json) io.out(JSON.stringify({ signedIn: all }, null, 2));
      else if (all.length === 0) {
        const none = noServerLines(await discover(machine));
        for (const line of none.length > 0
          ? none
          : ['You are not signed in to any server. Sign in with: portolan login <server>'])
          io.out(line);
      } else for (const line of lines(all, now(), io)) io.out(line);
      return EXIT.ok;
    },
  };
}

function lines(all: readonly SignedIn[], now: number, io: Io): string[] {
  const head: Cell[] = ['server', 'who', 'signed in by', 'until'].map((text) => ({ text, style: 'dim' }));
  const rows = all
    .toSorted((a, b) => (a.server < b.server ? -1 : 1))
    .map((one): Cell[] => [
      { text: visible(one.server), style: 'bold' },
      { text: visible(one.who ?? '–') },
      { text: visible(one.issuer) },
      { text: until(one, now, io) },
    ]);
  return table([head, ...rows], io);
}

function until({ expiresAt, renews }: SignedIn, now: number, io: Io): string {
  if (renews) return 'renewed automatically';
  if (expiresAt === undefined) return 'no known expiry';
  return expiresAt > now ? new Date(expiresAt).toISOString() : paint(io, 'yellow', 'expired: sign in again');
}
