import { ASK_NAMES, type CompletionCommand, type Suggestions } from './completion-lines.js';

/** For bash from 3.2 on, which macOS still has: no `mapfile`, no associative arrays. */
export function bashScript(lines: readonly CompletionCommand[]): string {
  const values = lines.flatMap(({ name, flags }) =>
    flags.flatMap(({ flag, value }): Case[] => (value ? [[`${name}:${flag}`, `${act(value)}; return`]] : [])),
  );
  const flags = lines.map(({ name, flags: all }): Case => {
    const words = [...all.map(({ flag }) => flag), '--help'];
    return [name, act({ kind: 'words', words })];
  });
  const words = lines
    .filter(({ word }) => word.kind !== 'nothing')
    .map(({ name, word, isRepeated }): Case => [name, `${isRepeated ? '' : '[[ -n $first ]] || '}${act(word)}`]);
  const commands = [...lines.map(({ name }) => name), '--help', '--version'];
  return `# Completion of portolan for bash: source <(portolan completion bash)
_portolan() {
  local line=\${COMP_LINE:0:COMP_POINT} word command='' first='' previous='' one
  local -a before
  # Not COMP_WORDS: bash splits them at : and =, which server names may contain.
  word=\${line##*[[:space:]]}
  read -ra before <<< "\${line%"$word"}"
  COMPREPLY=()
  for one in "\${before[@]:1}"; do
    previous=$one
    case $one in
      -*) ;;
      *) if [[ -z $command ]]; then command=$one; else first=$one; fi ;;
    esac
  done
  if [[ -z $command ]]; then
    ${act({ kind: 'words', words: commands })}
    return
  fi
  case $command:$previous in
${cases(values, '    ')}
  esac
  if [[ $word == -* ]]; then
    case $command in
${cases(flags, '      ')}
    esac
    return
  fi
  case $command in
${cases(words, '    ')}
  esac
}
_portolan_offer() {
  local candidate start=\${word%"\${word##*[:=]}"}
  for candidate; do
    [[ $candidate == "$word"* ]] || continue
    COMPREPLY+=("$(printf %q "\${candidate#"$start"}")")
  done
}
_portolan_servers() {
  local name
  while IFS= read -r name; do _portolan_offer "$name"; done < <(${ASK_NAMES})
}
_portolan_files() {
  local name
  compopt -o filenames 2>/dev/null
  while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$word")
}
complete -F _portolan portolan
`;
}

type Case = readonly [pattern: string, act: string];

/** One branch for all patterns with the same action. */
function cases(all: readonly Case[], indent: string): string {
  const patterns = new Map<string, string[]>();
  for (const [pattern, does] of all) patterns.set(does, [...(patterns.get(does) ?? []), pattern]);
  return [...patterns].map(([does, same]) => `${indent}${same.join(' | ')}) ${does} ;;`).join('\n');
}

function act(offer: Suggestions): string {
  switch (offer.kind) {
    case 'nothing':
      return ':';
    case 'files':
      return '_portolan_files';
    case 'servers':
      return '_portolan_servers';
    case 'words':
      return `_portolan_offer ${offer.words.join(' ')}`;
  }
}
