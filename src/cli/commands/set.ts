import { ErrorCode, PortolanError, shellWord } from '../../base/index.js';
import type { Discovery, scanMachine } from '../../discovery/index.js';
import { applySet, explain, planSet, type SetResult } from '../../use-cases/index.js';
import { type Command, EXIT, flags, type Io, needed, SCAN_OPTIONS, scanFlags } from '../runtime/command.js';
import { changeLines, changeOf } from '../runtime/edit-report.js';
import { unknownServer } from '../runtime/no-servers.js';
import { visible } from '../runtime/terminal-text.js';

const { json, client } = SCAN_OPTIONS;
const OPTIONS = { json, client } as const;

/** Stores a value that a server needs. The value comes from a hidden prompt or from stdin, never from an argument. */
export function setCommand(discover: typeof scanMachine, readInput: () => Promise<string>): Command {
  return {
    name: 'set',
    group: 'Set up clients',
    summary: 'store a secret or another value that a server needs',
    usage: 'portolan set <server> <name> [--json] [--client ID,…]',
    options: OPTIONS,
    words: 'server',
    examples: [
      { line: 'portolan set github GITHUB_TOKEN', does: 'ask for the value without showing it' },
      { line: 'portolan set github GITHUB_TOKEN --json', does: 'in a script: read the value from stdin' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS);
      const [server, name, extra] = needed(this, positionals, ['server', 'name']);
      // Not repeated in the error: it is probably the secret.
      if (extra !== undefined || name.includes('='))
        throw new PortolanError(ErrorCode.Usage, 'portolan set takes no value as an argument', {
          hint: 'arguments are visible to other processes and stay in the history of the shell: enter the value at the prompt, or pipe it to stdin',
        });
      const discovery = await discover(scanFlags(values));
      const plan = await planSet(discovery, server, name);
      if (!plan) throw unknownServer(server, discovery, scanFlags(values));
      const value = await valueFor(plan.server, name, io, readInput);
      const result = await applySet(plan, value, discovery);
      const { file, ...facts } = result;
      const next = nextCommand(plan.server, await discover(scanFlags(values)));
      if (values.json) io.out(JSON.stringify({ ...facts, ...(file && changeOf(file)), next }, null, 2));
      else for (const line of resultLines(result, next, io)) io.out(line);
      return EXIT.ok;
    },
  };
}

async function valueFor(server: string, name: string, io: Io, readInput: () => Promise<string>): Promise<string> {
  const question = `Value of ${visible(name)} for ${visible(server)} (not shown): `;
  const value = io.askSecret ? await io.askSecret(question) : (await readInput()).replace(/\r?\n$/, '');
  if (value !== '') return value;
  throw new PortolanError(
    io.askSecret ? ErrorCode.Cancelled : ErrorCode.TerminalNeeded,
    'no value was given, and nothing was stored',
    { hint: 'run the command in a terminal, or pipe the value to stdin' },
  );
}

/** The next missing value, the approval that a changed entry of a project needs, or the tools. */
function nextCommand(server: string, discovery: Discovery): string {
  const { needs = [], verdict } = explain(discovery, server) ?? {};
  const [first] = needs;
  if (first) return first.command;
  return `portolan ${verdict?.kind === 'needs-approval' ? 'approve' : 'tools'} ${shellWord(server)}`;
}

function resultLines({ server, name, store, file }: SetResult, next: string, io: Io): string[] {
  const where = store === 'key store' ? 'the key store of the system' : 'an encrypted file: no key store is available';
  return [
    `Stored ${visible(name)} of ${visible(server)} in ${where}.`,
    ...(file ? changeLines(file, io) : []),
    `Next: ${visible(next)}`,
  ];
}
