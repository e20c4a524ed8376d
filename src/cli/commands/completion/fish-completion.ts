import { ASK_NAMES, type CompletionCommand, type Flag, type Suggestions } from './completion-lines.js';

/** For the file `~/.config/fish/completions/portolan.fish`. */
export function fishScript(lines: readonly CompletionCommand[]): string {
  return `# Completion of portolan for fish: portolan completion fish > ~/.config/fish/completions/portolan.fish
complete -c portolan -f
complete -c portolan -n __fish_use_subcommand -l help -d 'show the commands'
complete -c portolan -n __fish_use_subcommand -l version -d 'show the version'
${lines.flatMap(commandLines).join('\n')}
`;
}

function commandLines({ name, summary, flags, word }: CompletionCommand): string[] {
  const when = `complete -c portolan -n '__fish_seen_subcommand_from ${name}'`;
  return [
    `complete -c portolan -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...flags.map((flag) => `${when} ${flagText(flag)}`),
    ...(word.kind === 'nothing' ? [] : [`${when} ${act(word)}`]),
  ];
}

function flagText({ flag, about, value }: Flag): string {
  const follows = value ? ` ${value.kind === 'files' ? '-r -F' : `-x ${act(value)}`.trimEnd()}` : '';
  return `-l ${flag.slice(2)} -d ${quoted(about)}${follows}`;
}

function act(offer: Suggestions): string {
  switch (offer.kind) {
    case 'nothing':
      return '';
    case 'files':
      return '-F';
    case 'servers':
      return `-a '(${ASK_NAMES})'`;
    case 'words':
      return `-a ${quoted(offer.words.join(' '))}`;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
