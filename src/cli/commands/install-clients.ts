import { ErrorCode, PortolanError } from '../../base/index.js';
import type { scanMachine } from '../../discovery/index.js';
import {
  type DetectedClient,
  detectedClients,
  type InstallOptions,
  type InstallPlan,
  planInstall,
} from '../../use-cases/index.js';
import { EXIT, type Io } from '../runtime/command.js';
import { planJson, planLines } from '../runtime/install-report.js';
import { plural } from '../runtime/terminal-text.js';
import { installOne } from './install-one.js';

interface Manner {
  readonly json: boolean;
  readonly yes: boolean;
}

/** `portolan install` without a client: chosen in a terminal, all suggested ones with --yes, the plan with --json. */
export async function installClients(
  discover: typeof scanMachine,
  options: InstallOptions,
  io: Io,
  { json, yes }: Manner,
): Promise<number> {
  const all: InstallOptions = { ...options, takeOver: true };
  const clients = await detectedClients(await discover({}), options);
  if (json && !yes) {
    const plans = await Promise.all(clients.map(({ client }) => planInstall(client, all)));
    const rows = clients.map((one, n) => ({ ...one, plan: planJson(plans[n] ?? never()) }));
    io.out(JSON.stringify({ clients: rows }, null, 2));
    return EXIT.ok;
  }
  if (clients.length === 0) {
    io.out('No client was found in which Portolan can be installed.');
    io.out('To install it in a client that was never started, name it: portolan install cursor');
    return EXIT.failed;
  }
  if (yes)
    return installAll(
      clients.filter(({ isSuggested }) => isSuggested).map(({ client }) => client),
      all,
      io,
      json,
    );
  if (!io.ask) {
    throw new PortolanError(ErrorCode.TerminalNeeded, 'choosing clients needs a terminal', {
      hint: 'name a client, add --yes to install in all detected clients, or --json to see what would change',
    });
  }
  return interactively(clients, all, io);
}

async function interactively(clients: readonly DetectedClient[], options: InstallOptions, io: Io): Promise<number> {
  const prompts = await import('../runtime/prompts.js');
  const chosen = await prompts.choose(
    'Which clients should use Portolan in place of their own servers?',
    clients.map(choiceOf),
  );
  const plans: InstallPlan[] = [];
  for (const client of chosen) plans.push(await planInstall(client, options));
  if (plans.length === 0) return nothing(io);
  for (const line of plans.flatMap((plan) => planLines(plan, io))) io.out(line);
  io.out('A copy of each file is kept beside it; portolan install <client> --undo restores the file.');
  if (!(await prompts.isConfirmed('Change these files?'))) return nothing(io);
  return installAll(chosen, options, io, false);
}

function choiceOf({ client, name, servers, tools, unread, isInstalled, isSuggested }: DetectedClient) {
  const counted = [
    plural(servers, 'server'),
    ...(servers > unread ? [plural(tools, 'tool')] : []),
    ...(unread > 0 ? [`tools of ${unread} not read yet`] : []),
  ];
  const hint = servers === 0 ? (isInstalled ? 'installed' : 'no servers of its own') : counted.join(', ');
  return { value: client, label: name, hint, isChosen: isSuggested };
}

function nothing(io: Io): number {
  io.out('Nothing was changed.');
  return EXIT.failed;
}

async function installAll(clients: readonly string[], options: InstallOptions, io: Io, json: boolean): Promise<number> {
  if (clients.length === 0) io.out('Portolan is installed in every detected client.');
  let works = true;
  for (const client of clients) works = (await installOne(client, options, io, json)) && works;
  return works ? EXIT.ok : EXIT.failed;
}

function never(): never {
  throw new Error('a client has no plan');
}
