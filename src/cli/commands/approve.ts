import { ErrorCode, PortolanError } from '../../base/index.js';
import type { Discovery, scanMachine } from '../../discovery/index.js';
import {
  type ApprovalQuestion,
  approveSettings,
  approveTools,
  changedTools,
  pendingQuestions,
  questionAbout,
  recordRuling,
  serverNamed,
} from '../../use-cases/index.js';
import { type Command, EXIT, flags, type Io, needed, SCAN_OPTIONS, scanFlags } from '../runtime/command.js';
import { noServerLines, unknownServer } from '../runtime/no-servers.js';
import { paint, placeText, plural, shortPath, visible } from '../runtime/terminal-text.js';

const { json, client } = SCAN_OPTIONS;
const OPTIONS = {
  ...{ json, client },
  all: { type: 'boolean', about: 'approve every server that waits' },
  list: { type: 'boolean', about: 'list the servers that wait, without a decision' },
  yes: { type: 'boolean', short: 'y', about: 'do not ask; for scripts that have checked the entry' },
  'from-lock': { type: 'boolean', about: 'approve the servers in the lock file of the team' },
  settings: { type: 'boolean', about: 'approve the settings file of this project' },
} as const;
const DENY_OPTIONS = { json, client } as const;

export function approveCommand(discover: typeof scanMachine): Command {
  return {
    name: 'approve',
    group: 'Approve and secure',
    summary: 'allow servers that wait for your approval',
    usage: 'portolan approve [<server>…|--all|--from-lock|--settings] [--list] [--json]',
    options: OPTIONS,
    words: 'servers',
    examples: [
      { line: 'portolan approve', does: 'list the servers that wait, with their commands' },
      { line: 'portolan approve reports', does: 'ask, and store an approval for exactly this content' },
      {
        line: 'portolan approve --all --yes',
        does: 'approve all without questions, in a script that has checked them',
      },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS);
      const discovery = await discover(scanFlags(values));
      const none = noServerLines(discovery, scanFlags(values));
      if (values.settings)
        return decideSettings(discovery, io, { yes: values.yes === true, json: values.json === true });
      const pending = pendingQuestions(discovery);
      const listing = values.list || (positionals.length === 0 && !values.all && !values['from-lock']);
      if (listing) return listQuestions(pending, discovery, none, io, values.json === true);
      const questions = values['from-lock']
        ? pending.filter(({ because }) => because === 'reviewed')
        : values.all
          ? pending
          : await questionsNamed(positionals, discovery);
      if (questions.length === 0 && !values.json) {
        for (const line of none.length > 0 ? none : ['nothing waits for approval']) io.out(line);
        return EXIT.ok;
      }
      const approveFlags = { yes: values.yes === true, json: values.json === true };
      const [only] = questions;
      const mayRun = only && questions.length === 1 && only.server.verdict.kind === 'allowed';
      if (mayRun && (await changedTools(discovery, only.server.name)).length > 0)
        return decideTools(only.server.name, discovery, io, approveFlags);
      return decideAll(questions, 'approved', discovery, io, approveFlags);
    },
  };
}

export function denyCommand(discover: typeof scanMachine): Command {
  return {
    name: 'deny',
    group: 'Approve and secure',
    summary: 'stop servers from running until they change',
    usage: 'portolan deny <server>… [--json]',
    options: DENY_OPTIONS,
    words: 'servers',
    examples: [{ line: 'portolan deny reports', does: 'stop it from running until it changes' }],
    async run(args, io) {
      const { values, positionals } = flags(this, args, DENY_OPTIONS);
      needed(this, positionals, ['server']);
      const discovery = await discover(scanFlags(values));
      const questions = await questionsNamed(positionals, discovery);
      // Denying is always safe and needs no confirmation.
      return decideAll(questions, 'denied', discovery, io, { yes: true, json: values.json === true });
    },
  };
}

function questionsNamed(names: readonly string[], discovery: Discovery): Promise<ApprovalQuestion[]> {
  return Promise.all(
    names.map(async (name) => {
      const server = serverNamed(name, discovery);
      if (!server) throw unknownServer(name, discovery);
      return questionAbout(server, discovery);
    }),
  );
}

interface ApproveFlags {
  readonly yes: boolean;
  readonly json: boolean;
}

async function decideAll(
  questions: readonly ApprovalQuestion[],
  verdict: 'approved' | 'denied',
  discovery: Discovery,
  io: Io,
  { yes, json }: ApproveFlags,
): Promise<number> {
  const decided: ApprovalQuestion[] = [];
  for (const question of questions) {
    if (!json)
      for (const line of questionLines(verdict === 'denied' ? { ...question, notes: [] } : question, io)) io.out(line);
    if (yes || (await isConfirmed(`Let ${visible(question.server.name)} run?`, io))) decided.push(question);
  }
  const names = decided.map(({ server }) => server.name);
  const file =
    decided.length > 0
      ? await recordRuling(
          decided.map(({ server }) => server.definition),
          verdict,
          discovery,
          new Date(),
        )
      : undefined;
  if (json) io.out(JSON.stringify({ [verdict]: names, file }, null, 2));
  else
    io.out(
      file === undefined
        ? 'no approval was stored'
        : `${verdict} ${names.map(visible).join(', ')} in ${shortPath(file, io.home)}`,
    );
  return decided.length === questions.length ? EXIT.ok : EXIT.failed;
}

/** Settings of a project that do more than restrict. Code is shown before it ever runs. */
async function decideSettings(discovery: Discovery, io: Io, { yes, json }: ApproveFlags): Promise<number> {
  const { waiting } = discovery.settings;
  const decided: (typeof waiting)[number][] = [];
  for (const file of waiting) {
    if (!json)
      for (const line of [paint(io, 'bold', shortPath(file.path, io.home)), ...file.text.split('\n')])
        io.out(visible(line));
    if (yes || (await isConfirmed(`Approve the settings in ${shortPath(file.path, io.home)}?`, io))) decided.push(file);
  }
  const approved = decided.map(({ path }) => path);
  const kept = decided.length > 0 ? await approveSettings(decided, discovery, new Date()) : undefined;
  if (json) io.out(JSON.stringify({ approved, file: kept }, null, 2));
  else
    io.out(
      kept === undefined
        ? 'no approval was stored'
        : `approved ${approved.map((path) => shortPath(path, io.home)).join(', ')}`,
    );
  return decided.length === waiting.length ? EXIT.ok : EXIT.failed;
}

/** Tools of an approved server whose definitions changed after they were last approved. */
async function decideTools(server: string, discovery: Discovery, io: Io, { yes, json }: ApproveFlags): Promise<number> {
  const changes = await changedTools(discovery, server);
  if (!json) {
    for (const { tool, change, shown } of changes) {
      io.out(`${paint(io, 'bold', visible(tool))} ${paint(io, 'yellow', change)}`);
      for (const line of shown.split('\n')) io.out(`  ${visible(line)}`);
    }
  }
  const approved =
    yes || (await isConfirmed(`Trust these ${plural(changes.length, 'tool')} of ${visible(server)}?`, io));
  if (approved) await approveTools(discovery, server, changes);
  const tools = approved ? changes.map(({ tool }) => tool) : [];
  if (json) io.out(JSON.stringify({ approved: [server], tools }, null, 2));
  else io.out(approved ? `approved ${plural(tools.length, 'tool')} of ${visible(server)}` : 'no approval was stored');
  return approved ? EXIT.ok : EXIT.failed;
}

async function isConfirmed(question: string, io: Io): Promise<boolean> {
  if (!io.ask) {
    throw new PortolanError(ErrorCode.TerminalNeeded, 'an approval needs a terminal', {
      hint: 'run the command in a terminal; a script that has checked the entry can add --yes',
    });
  }
  return /^y(es)?$/i.test((await answerTo(`${question} [y/N] `, io.ask)).trim());
}

/** Ctrl-C at a question discards the earlier answers, too. */
async function answerTo(question: string, ask: NonNullable<Io['ask']>): Promise<string> {
  try {
    return await ask(question);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
    throw new PortolanError(ErrorCode.Cancelled, 'no approval was stored', { cause: error });
  }
}

const BECAUSE = {
  new: 'it is new',
  changed: 'it changed since your last decision',
  reviewed: 'it is in the lock file of your team',
  files: 'a file that it runs or reads changed since the approval',
  decided: 'you already approved or denied it',
} as const;

function questionLines(question: ApprovalQuestion, io: Io): string[] {
  const { server, because, launch, launchDetails, changes, files, notes, shadows } = question;
  const { client, scope, source, line } = server.definition;
  return [
    paint(io, 'bold', visible(server.name)),
    `  ${paint(io, 'dim', 'runs')}     ${visible(launch)}`,
    ...launchDetails.map(([what, text]) => `  ${paint(io, 'dim', what.padEnd(8))} ${visible(text)}`),
    `  ${paint(io, 'dim', 'from')}     ${placeText({ client, scope })}, ${shortPath(source, io.home)}:${line}`,
    `  ${paint(io, 'dim', 'because')}  ${BECAUSE[because]}`,
    ...files.map((file) => `  ${paint(io, 'dim', 'covers')}   ${visible(file)}`),
    ...changes.map((change) => `  ${paint(io, 'yellow', 'changed')}  ${visible(change)}`),
    ...notes.map((note) => `  ${paint(io, 'yellow', 'note')}     ${visible(note)}`),
    ...shadows.map((shadow) => `  ${paint(io, 'yellow', 'shadows')}  ${visible(shadow)}`),
  ];
}

function listQuestions(
  questions: readonly ApprovalQuestion[],
  { settings }: Discovery,
  none: readonly string[],
  io: Io,
  json: boolean,
): number {
  if (json) {
    const shown = questions.map(({ server, because, launch, launchDetails, changes, files, notes, shadows }) => ({
      name: server.name,
      source: server.definition.source,
      because,
      launch,
      surroundings: Object.fromEntries(launchDetails),
      changes,
      files,
      notes,
      shadows,
    }));
    io.out(JSON.stringify({ pending: shown, settings: settings.waiting.map(({ path }) => path) }, null, 2));
    return EXIT.ok;
  }
  for (const question of questions) for (const line of questionLines(question, io)) io.out(line);
  for (const { path } of settings.waiting) io.out(`${shortPath(path, io.home)} waits too: portolan approve --settings`);
  for (const line of none) io.out(line);
  if (none.length > 0) return EXIT.ok;
  io.out(
    questions.length === 0
      ? 'nothing waits for approval'
      : `${plural(questions.length, 'server waits', 'servers wait')}; approve with: portolan approve <server>`,
  );
  return EXIT.ok;
}
