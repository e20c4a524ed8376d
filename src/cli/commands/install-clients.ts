import { ErrorCode, PortolanError } from '../../base/index.js';
import type { scanMachine } from '../../discovery/index.js';
import {
  type DetectedClient,
  detectedClients,
  type InstallOptions,
  type InstallPlan,
  planInstall,
} from '../../use-cases/index.js';
import { EXIT, type Io, type Terminal } from '../runtime/command.js';
import { installJson, installLines, nextLines, planJson, planLines } from '../runtime/install-report.js';
import { noServerLines } from '../runtime/no-servers.js';
import { paint, plural, visible } from '../runtime/terminal-text.js';
import { type InstallOutcome, installOne } from './install-one.js';

interface InstallFlags {
  readonly json: boolean;
  readonly yes: boolean;
}

/** `portolan install` without a client: chosen in a terminal, all suggested ones with --yes, the plan with --json. */
export async function installClients(
  discover: typeof scanMachine,
  options: InstallOptions,
  io: Io,
  { json, yes }: InstallFlags,
): Promise<number> {
  const all: InstallOptions = { ...options, takeOver: true };
  const discovery = await discover({});
  const clients = await detectedClients(discovery, options);
  if (json && !yes) {
    const plans = await Promise.all(clients.map(({ client }) => planInstall(client, all)));
    const rows = clients.map((one, n) => ({ ...one, plan: planJson(plans[n] ?? never()) }));
    io.out(JSON.stringify({ clients: rows }, null, 2));
    return EXIT.ok;
  }
  if (clients.length === 0 && !json) {
    io.out('No client was found in which Portolan can be installed.');
    io.out('To install it in a client that was never started, name it: portolan install cursor');
    for (const line of noServerLines(discovery)) io.out(line);
    return EXIT.failed;
  }
  if (yes)
    return installAll(
      clients.filter(({ isSuggested }) => isSuggested).map(({ client }) => client),
      all,
      io,
      json,
    );
  if (!io.terminal) {
    throw new PortolanError(ErrorCode.TerminalNeeded, 'choosing clients needs a terminal', {
      hint: 'name a client, add --yes to install in all detected clients, or --json to see what would change',
    });
  }
  return interactively(clients, all, io, io.terminal);
}

async function interactively(
  clients: readonly DetectedClient[],
  options: InstallOptions,
  io: Io,
  terminal: Terminal,
): Promise<number> {
  const prompts = await import('../runtime/prompts.js');
  const chosen = await prompts.choose(
    'Which clients should use Portolan in place of their own servers?',
    clients.map(choiceOf),
    terminal,
  );
  const plans: InstallPlan[] = [];
  for (const client of chosen) plans.push(await planInstall(client, options));
  if (plans.length === 0) return nothing(io);
  for (const line of plans.flatMap((plan) => planLines(plan, io))) io.out(line);
  io.out('A copy of each file is kept beside it; portolan install <client> --undo restores the file.');
  if (!(await prompts.isConfirmed('Change these files?', terminal))) return nothing(io);
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
  const done: InstallOutcome[] = [];
  const failed: { readonly client: string; readonly error: PortolanError }[] = [];
  for (const client of clients) {
    try {
      // The entry starts the same program in every client.
      done.push(await installOne(client, options, done[0]?.verification));
    } catch (error) {
      // The other clients do not depend on this one.
      if (!(error instanceof PortolanError)) throw error;
      failed.push({ client, error });
    }
  }
  if (json) {
    const failures = failed.map(({ client, error: { code, message, hint } }) => ({ client, code, message, hint }));
    io.out(JSON.stringify({ clients: done.map(installJson), failed: failures }, null, 2));
  } else for (const line of allLines(clients, done, failed, io)) io.out(line);
  return failed.length === 0 ? EXIT.ok : EXIT.failed;
}

function allLines(
  clients: readonly string[],
  done: readonly InstallOutcome[],
  failed: readonly { readonly client: string; readonly error: PortolanError }[],
  io: Io,
): string[] {
  if (clients.length === 0) return ['Portolan is installed in every detected client.'];
  return [
    ...done.flatMap((one) => installLines(one, io)),
    ...failed.flatMap(({ client, error: { message, hint } }) => [
      `${paint(io, 'red', `${client} was not changed`)}: ${visible(message)}`,
      ...(hint === undefined ? [] : [`  ${paint(io, 'cyan', '→')} ${visible(hint)}`]),
    ]),
    ...(done.length > 0 ? nextLines(done.map(({ installed }) => installed.client)) : []),
  ];
}

function never(): never {
  throw new Error('a client has no plan');
}
