import type { scanMachine } from '../../../discovery/index.js';
import { knownClients } from '../../../use-cases/index.js';
import { type Command, EXIT, flags, needed, usageError } from '../../runtime/command.js';
import { suggestion } from '../../runtime/suggestion.js';
import { visible } from '../../runtime/terminal-text.js';
import { bashScript } from './bash-completion.js';
import { linesOf } from './completion-lines.js';
import { fishScript } from './fish-completion.js';
import { zshScript } from './zsh-completion.js';

const OPTIONS = { names: { type: 'boolean', isHidden: true } } as const;
const SHELLS = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
]);

/** Prints a completion script, generated from the table of commands. */
export function completionCommand(discover: typeof scanMachine, all: () => Promise<readonly Command[]>): Command {
  return {
    name: 'completion',
    group: 'Set up clients',
    summary: 'print a completion script for bash, zsh or fish',
    usage: 'portolan completion bash|zsh|fish',
    options: OPTIONS,
    words: [...SHELLS.keys()],
    examples: [
      { line: 'portolan completion bash', does: 'for ~/.bashrc: source <(portolan completion bash)' },
      { line: 'portolan completion zsh', does: 'for ~/.zshrc, after compinit: source <(portolan completion zsh)' },
      { line: 'portolan completion fish', does: 'for ~/.config/fish/completions/portolan.fish' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS, { mostWords: 1 });
      if (values.names) {
        const { servers } = await discover({});
        for (const { name } of servers) if (isTypeable(name)) io.out(name);
        return EXIT.ok;
      }
      const [shell] = needed(this, positionals, ['shell: bash, zsh or fish']);
      const script = SHELLS.get(shell);
      if (!script) {
        throw usageError(this, `has no script for "${shell}"`, suggestion(shell, SHELLS.keys()));
      }
      io.out(script(linesOf(await all(), await knownClients())).trimEnd());
      return EXIT.ok;
    },
  };
}

/** Names with control characters, or that look like a flag, are not offered. */
function isTypeable(name: string): boolean {
  return visible(name) === name && !name.startsWith('-');
}
