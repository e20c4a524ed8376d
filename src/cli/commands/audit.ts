import type { scanMachine } from '../../discovery/index.js';
import { type AuditReading, explain, readAudit } from '../../use-cases/index.js';
import { type Command, EXIT, flags, type Io, JSON_OPTIONS, usageError } from '../runtime/command.js';
import { noServerLines } from '../runtime/no-servers.js';
import { type Cell, paint, plural, shortPath, table, visible } from '../runtime/terminal-text.js';

type Entry = AuditReading['entries'][number];
type Chain = AuditReading['chains'][number];

const OPTIONS = {
  ...JSON_OPTIONS,
  verify: { type: 'boolean', about: 'check that no line was changed or removed' },
  server: { type: 'string', value: 'SERVER', about: 'only calls to this server' },
  last: { type: 'string', value: 'N', about: 'number of calls to print' },
} as const;
/** The default number of lines on a terminal. */
const SHOWN = 50;
const HEAD = ['TIME', 'CLIENT', 'SERVER', 'TOOL', 'OUTCOME', 'MS', 'BYTES'];

export function auditCommand(folder: () => string, discover: typeof scanMachine): Command {
  return {
    name: 'audit',
    group: 'Approve and secure',
    summary: 'list the recorded tool calls, and verify the record',
    usage: 'portolan audit [--json] [--verify] [--server NAME] [--last N]',
    options: OPTIONS,
    examples: [
      { line: 'portolan audit --last 10', does: 'list the last ten calls' },
      { line: 'portolan audit --verify', does: 'verify that the record is complete and unchanged' },
    ],
    async run(args, io) {
      const { values } = flags(this, args, OPTIONS, { mostWords: 0 });
      const last = values.last === undefined ? undefined : toCount(values.last, this);
      const most = last ?? (values.json ? undefined : SHOWN);
      const { entries, total, chains } = await readAudit(folder(), {
        verify: values.verify === true,
        ...(values.server !== undefined && { servers: await namesOf(values.server, discover) }),
        ...(most !== undefined && { last: most }),
      });
      if (values.json) io.out(JSON.stringify(values.verify ? { entries, chains } : { entries }, null, 2));
      else {
        for (const line of entryLines(entries, total, folder(), values.server, io)) io.out(line);
        if (entries.length === 0) for (const line of await noServers(discover)) io.out(line);
        if (values.verify) for (const line of chainLines(chains, io)) io.out(line);
      }
      return chains.some(({ state }) => state.kind === 'broken') ? EXIT.failed : EXIT.ok;
    },
  };
}

/**
 * The log has the current name of a server, whatever alias is given here. A server that is no longer configured is
 * found by the given name.
 */
async function namesOf(wanted: string, discover: typeof scanMachine): Promise<ReadonlySet<string>> {
  const known = await discover({}).then(
    (discovery) => explain(discovery, wanted)?.server?.name,
    () => undefined, // configuration errors must not hide the recorded calls
  );
  return new Set([wanted, known ?? wanted]);
}

/** Without servers there are no calls. Configuration errors do not matter here. */
function noServers(discover: typeof scanMachine): Promise<readonly string[]> {
  return discover({}).then(noServerLines, () => []);
}

function toCount(text: string, command: Command): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(command, `needs a positive whole number after --last, not "${text}"`);
}

function entryLines(
  entries: readonly Entry[],
  total: number,
  folder: string,
  server: string | undefined,
  io: Io,
): string[] {
  const whose = server === undefined ? '' : ` of ${visible(server)}`;
  if (entries.length === 0) return [`No calls${whose} are recorded in ${shortPath(folder, io.home)}.`];
  const rows = entries.map((entry): Cell[] => [
    { text: visible(entry.at), style: 'dim' },
    ...[entry.client, entry.server, withVia(entry)].map((text) => ({ text: visible(text) })),
    { text: visible(entry.outcome), style: entry.outcome === 'ok' ? 'green' : 'red' },
    { text: String(Math.round(entry.durationMs)) },
    { text: String(entry.bytes) },
  ]);
  const more = total > entries.length ? [paint(io, 'dim', `the last ${entries.length} of ${total}; --last N`)] : [];
  return [...table([HEAD.map((text): Cell => ({ text, style: 'bold' })), ...rows], io), ...more];
}

/** Marks calls that a program made for the client. */
function withVia({ tool, via }: Entry): string {
  return via === undefined ? tool : `${tool} (${via})`;
}

function chainLines(chains: readonly Chain[], io: Io): string[] {
  const broken = chains.filter(({ state }) => state.kind === 'broken').length;
  const verdict =
    broken === 0
      ? paint(io, 'green', `${plural(chains.length, 'chain')} verified`)
      : paint(io, 'red', `${broken} of ${plural(chains.length, 'chain')} broken`);
  return ['', ...chains.map((chain) => chainLine(chain, io)), verdict];
}

function chainLine({ chain, count, state }: Chain, io: Io): string {
  const name = `${visible(chain)}, ${plural(count, 'line')}:`;
  if (state.kind === 'ok') {
    const open = state.unsealed === 0 ? '' : `, ${plural(state.unsealed, 'line')} not sealed yet`;
    return `${name} ${paint(io, 'green', 'ok')}${open}`;
  }
  // A deleted file has no path to print.
  const where = state.file ? ` (${visible(state.file)}${state.line ? `:${state.line}` : ''})` : '';
  return `${name} ${paint(io, 'red', state.because)}: ${visible(state.message)}${where}`;
}
