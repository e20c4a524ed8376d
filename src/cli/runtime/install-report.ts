import { assertNever } from '../../base/index.js';
import type { Installed, InstallPlan, PlannedFile, Uninstalled, Verification } from '../../use-cases/index.js';
import type { Io } from './command.js';
import { changeLines, changeOf } from './edit-report.js';
import { paint, plural, shortPath, visible } from './terminal-text.js';

interface Outcome {
  readonly installed: Installed;
  readonly verification: Verification;
  readonly remaining: readonly PlannedFile[];
}
type Taken = Installed['takenOver'][number];
type Undone = Uninstalled['undone'][number];

/** What an installation would change, for --json. */
export function planJson({ client, program, file, takeOver }: InstallPlan) {
  return {
    client,
    ...program,
    file,
    takeOver: takeOver.map(({ path, isShared, entries, left }) => ({
      file: path,
      shared: isShared,
      servers: entries.map(({ definition }) => definition.name),
      left,
    })),
  };
}

/** The same as lines of text. */
export function planLines({ name, file, takeOver }: InstallPlan, io: Io): string[] {
  const isTaken = takeOver.some(({ path }) => path === file);
  const added = `${visible(name)}: add Portolan to ${shortPath(file, io.home)}`;
  return [
    isTaken ? added : `${added}, and keep everything else`,
    ...takeOver.map((one) => `  ${plannedLine(one, io)}`),
  ];
}

function plannedLine({ path, entries, isShared }: PlannedFile, io: Io): string {
  const names = entries.map(({ definition }) => visible(definition.name)).join(', ');
  const seen = isShared ? ' (your team sees this change)' : '';
  return `take over ${plural(entries.length, 'server')} in ${shortPath(path, io.home)}${seen}: ${names}`;
}

/** The result of an installation, for --json. */
export function installJson({ installed, verification }: Outcome) {
  const { client, program, file, takenOver, gitExclude } = installed;
  return {
    client,
    ...program,
    ...changeOf(file),
    verification,
    takenOver: takenOver.map(takenJson),
    ...(gitExclude !== undefined && { gitExclude }),
  };
}

function takenJson({ file, original, moved, left, isShared }: Taken) {
  const servers = moved.map(({ name, how }) => ({ name, how: how.kind }));
  return { ...changeOf(file), original, shared: isShared, servers, left };
}

/** The same as lines of text. */
export function installLines({ installed, verification, remaining }: Outcome, io: Io): string[] {
  const { client, program, file, takenOver, gitExclude } = installed;
  const still = remaining.reduce((sum, { entries }) => sum + entries.length, 0);
  return [
    `Added Portolan to ${client}: ${visible([program.command, ...program.args].join(' '))}`,
    ...changeLines(file, io),
    ...verificationLines(verification, io),
    ...takenOver.flatMap((taken) => takenLines(taken, client, io)),
    ...(gitExclude === undefined
      ? []
      : [`  git ignores the copies: ${shortPath(gitExclude, io.home)}; nothing was committed`]),
    ...(still === 0
      ? []
      : [
          `${client} still starts ${plural(still, 'server')} by itself. To stop that: portolan install ${client} --take-over`,
        ]),
  ];
}

/** What to do after an installation in these clients. */
export function nextLines(clients: readonly string[]): string[] {
  const named = clients.length === 1 ? clients.join() : '<client>';
  return [
    `Next: restart ${clients.join(', ')} and give it a task, or try a search here: portolan search "read a file"`,
    `To remove it: portolan install ${named} --undo`,
  ];
}

function takenLines({ file, original, moved, left, isShared }: Taken, client: string, io: Io): string[] {
  if (moved.length === 0) return left.map(({ name, because }) => `  ${visible(name)} stays: ${visible(because)}`);
  const path = shortPath(file.path, io.home);
  return [
    `${client} no longer starts ${plural(moved.length, 'server')} of ${path}: ${moved.map(({ name }) => visible(name)).join(', ')}`,
    paint(io, 'dim', `  original: ${shortPath(original, io.home)}`),
    ...left.map(({ name, because }) => `  ${visible(name)} stays: ${visible(because)}`),
    ...(isShared ? [`  ${path} is part of the project: your team sees this change if it is committed`] : []),
  ];
}

function verificationLines(verification: Verification, io: Io): string[] {
  switch (verification.kind) {
    case 'works':
      return [
        `  ${paint(io, 'green', 'checked')}: it starts without the shell's PATH and answered after ${verification.ms} ms`,
      ];
    case 'fails':
      return [
        `  ${paint(io, 'red', 'does not work')}: ${visible(verification.because)}`,
        `  ${paint(io, 'cyan', '→')} ${verification.hint}`,
      ];
    case 'not-checked':
      return [`  not checked: ${verification.because}`];
    default:
      return assertNever(verification);
  }
}

export function undoJson({ client, file, undone }: Uninstalled) {
  const [first] = undone;
  const main = file ?? first?.file;
  return {
    client,
    ...(main && changeOf(main)),
    undone: undone.map(({ file: one, isExact, entries, isShared }) => ({
      ...changeOf(one),
      exact: isExact,
      shared: isShared,
      servers: entries,
    })),
  };
}

export function undoLines({ client, file, undone }: Uninstalled, io: Io): string[] {
  return [
    `Removed Portolan from ${client}.`,
    ...(file ? changeLines(file, io) : []),
    ...undone.flatMap((one) => undoneLines(one, io)),
    ...(undone.length > 0 ? [`Restart ${client}: it starts its own servers again.`] : []),
  ];
}

function undoneLines({ file, isExact, entries, isShared }: Undone, io: Io): string[] {
  const path = shortPath(file.path, io.home);
  const named = (result: Undone['entries'][number]['result']) =>
    entries.filter((one) => one.result === result).map(({ name }) => visible(name));
  const [restored, kept, deleted] = [named('restored'), named('kept'), named('deleted')];
  return [
    isExact
      ? `  restored ${path} byte for byte`
      : `  restored ${plural(restored.length, 'server')} in ${path}, which was edited since${restored.length > 0 ? `: ${restored.join(', ')}` : ''}`,
    ...(kept.length > 0 ? [`  kept with your changes: ${kept.join(', ')}`] : []),
    ...(deleted.length > 0
      ? [`  not restored, because you deleted ${deleted.length === 1 ? 'it' : 'them'}: ${deleted.join(', ')}`]
      : []),
    ...(isShared ? [`  ${path} is part of the project: your team sees this change if it is committed`] : []),
  ];
}
