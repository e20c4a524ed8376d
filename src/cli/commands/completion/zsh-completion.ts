import { ASK_NAMES, type CompletionCommand, type Flag, type Suggestions } from './completion-lines.js';

/** Works when it is sourced after `compinit`, or as the file `_portolan` in a directory of `fpath`. */
export function zshScript(lines: readonly CompletionCommand[]): string {
  const commands = lines.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = lines.map(({ name, flags, word, isRepeated }) => {
    const specs = [
      ...flags.map(flagSpec),
      "'(- *)--help[show the help of the command]'",
      ...wordSpec(word, isRepeated),
    ];
    return `    ${name}) _arguments -S ${specs.join(' ')} ;;`;
  });
  return `#compdef portolan
# Completion of portolan for zsh: source <(portolan completion zsh)
_portolan_servers() {
  local -a names
  names=("\${(@f)$(${ASK_NAMES})}")
  (( \${#names} )) && compadd -- "\${(@)names:#}"
}
_portolan() {
  local -a commands
  commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
if [[ \${funcstack[1]} == _portolan ]]; then _portolan "$@"; else compdef _portolan portolan; fi
`;
}

function flagSpec({ flag, about, isRepeated, value }: Flag): string {
  const told = about.replaceAll(/[\\[\]:]/g, String.raw`\$&`);
  return quoted(`${isRepeated ? '*' : ''}${flag}[${told}]${value ? `:value:${act(value)}` : ''}`);
}

function wordSpec(word: Suggestions, isRepeated: boolean): string[] {
  return word.kind === 'nothing' ? [] : [quoted(`${isRepeated ? '*' : '1'}:word:${act(word)}`)];
}

function act(offer: Suggestions): string {
  switch (offer.kind) {
    case 'nothing':
      return '';
    case 'files':
      return '_files';
    case 'servers':
      return '_portolan_servers';
    case 'words':
      return `(${offer.words.join(' ')})`;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
