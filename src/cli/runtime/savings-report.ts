import type { TakeOverSavings } from '../../use-cases/index.js';
import type { Io } from './command.js';
import { paint, plural } from './terminal-text.js';

/** What a take-over of each client would save, as lines of text. */
export function savingsLines({ clients, processes }: TakeOverSavings, io: Io): string[] {
  if (clients.length === 0) return [];
  const rows = clients.map(({ client, servers, tokens, tools, unread }) => {
    const read =
      unread.length === servers ? '' : `, ${plural(tools, 'tool')}, about ${tokens} tokens in each conversation`;
    const rest = unread.length === 0 ? '' : `; the tools of ${plural(unread.length, 'server')} were not read yet`;
    return `  ${client} starts ${plural(servers, 'server')} by itself${read}${rest}`;
  });
  const { now, after } = processes;
  const saved = now > after ? `${plural(now, 'process', 'processes')} become at most ${after}, and ` : '';
  return [
    'A take-over (portolan install <client> --take-over) would save:',
    ...rows,
    paint(io, 'dim', `  ${saved}a server that is not used has no process`),
    '',
  ];
}
