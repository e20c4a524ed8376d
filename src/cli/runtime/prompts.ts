import { ErrorCode, PortolanError } from '../../base/index.js';
import type { Terminal } from './command.js';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint: string;
  readonly isChosen: boolean;
}

/** Lets the person at the terminal choose any of these; Ctrl-C is an error. */
export async function choose(message: string, choices: readonly Choice[], terminal: Terminal): Promise<string[]> {
  const { multiselect, isCancel } = await import('@clack/prompts');
  const chosen = await multiselect<string>({
    ...terminal,
    message,
    options: choices.map(({ value, label, hint }) => ({ value, label, hint })),
    initialValues: choices.filter(({ isChosen }) => isChosen).map(({ value }) => value),
    required: false,
  });
  if (isCancel(chosen)) throw cancelled();
  return chosen;
}

export async function isConfirmed(message: string, terminal: Terminal): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ ...terminal, message });
  if (isCancel(answer)) throw cancelled();
  return answer;
}

function cancelled(): PortolanError {
  return new PortolanError(ErrorCode.Cancelled, 'nothing was changed');
}
