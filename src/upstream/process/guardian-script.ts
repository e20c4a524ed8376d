import { MARK_DESCRIPTOR } from './launch-mark.js';

/** How often it looks, ten times a second: after our end, after SIGTERM, and while it kills. All is over well before 5 s. */
const LOOKS_BEFORE_TERM = 3;
const KILLS = '1 2 3 4 5 6 7 8 9 10';

export interface GuardianLimits {
  readonly looksBeforeKill: number;
  /** A process that was being started when we ended may take until then to be a program that holds our mark. */
  readonly leastLooks: number;
  /** A shell hands the mark down to whatever it starts: only what began so shortly before our end was being started by us. Ticks of a hundredth of a second. */
  readonly youngTicks: number;
}

export const GUARDIAN_LIMITS: GuardianLimits = { looksBeforeKill: 10, leastLooks: 10, youngTicks: 500 };

/** The last word of one who ends in peace: no start is under way of which the script has not heard. */
export const ALL_IS_TOLD = '.\n';

/**
 * A program for `sh` that outlives us: told of groups by lines `+7` and `-7`, it ends what is left of them when its stdin ends,
 * and, unless all was told, whatever has just begun, leads a session and holds the same file as itself on `MARK_DESCRIPTOR`.
 * `$1` is where the processes are listed (`/proc`); where nothing is, `ps` is asked.
 */
export function guardianScript({ looksBeforeKill, leastLooks, youngTicks } = GUARDIAN_LIMITS): string {
  return `
trap '' HUP INT QUIT TERM PIPE
# Whoever started us may wait for the end of a pipe that we all inherited.
exec 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
groups=' '
least=${leastLooks}
while IFS= read -r line; do
  case $line in
    .) least=0 ;;
    ?*[!0-9]* | [+-] | [+-]0* | [+-]1) ;;
    +*) groups="$groups\${line#+} " ;;
    -*) case $groups in *" \${line#-} "*) groups="\${groups%%" \${line#-} "*} \${groups#*" \${line#-} "}" ;; esac ;;
  esac
done
[ "$groups" = ' ' ] && [ "$least" = 0 ] && exit 0

set -f
list=$1
# In ticks since the machine started, as the start of a process is told; nothing is young where nobody tells the time.
youngest=
[ -r "$list/uptime" ] && read -r uptime rest < "$list/uptime" && youngest=$((\${uptime%.*} * 100 + 1\${uptime#*.} - 100 - ${youngTicks}))
# Who is in a session was born in it, so all in one of ours are ours.
sessions=$groups
# Ours, but in no group of ours: pid:start.
apart=' '
looks=0

has() { case $1 in *" $2 "*) return 0 ;; esac; return 1; }

# pid session start
is_marked() {
  [ "$least" != 0 ] && [ -n "$youngest" ] && [ "$1" = "$2" ] && [ "$3" -ge "$youngest" ] &&
    [ "$list/$1/fd/${MARK_DESCRIPTOR}" -ef "$list/$$/fd/${MARK_DESCRIPTOR}" ]
}

# pid state parent group session start
consider() {
  case $2 in [ZXx]*) return ;; esac
  has "$found 1 $$ " "$1" && return
  if ! has "$groups" "$4" && is_marked "$1" "$5" "$6"; then
    groups="$groups$1 "
    sessions="$sessions$1 "
  fi
  if ! has "$groups" "$4"; then
    has "$sessions" "$5" || has "$found" "$3" || has "$apart" "$1:$6" || return
    has "$apart" "$1:$6" || apart="$apart$1:$6 "
    has " 0 1$sessions" "$5" || sessions="$sessions$5 "
  fi
  found="$found$1 "
}

look() {
  found=' '
  looks=$((looks + 1))
  set +f
  # The name before the last bracket is the process's own choice, with any character in it.
  rows=$(cat "$list"/[0-9]*/stat 2>/dev/null |
    sed -n 's/^\\([0-9]*\\) (.*) \\([A-Za-z]\\) \\([0-9]*\\) \\([0-9]*\\) \\([0-9]*\\) \\([-0-9]* \\)\\{15\\}\\([0-9]*\\) .*/\\1 \\2 \\3 \\4 \\5 \\7/p')
  set -f
  [ -n "$rows" ] || rows=$(ps -A -o pid= -o stat= -o ppid= -o pgid= 2>/dev/null)
  # Who cannot look does not know that all are gone.
  [ -n "$rows" ] || return 0
  before=
  until [ "$before" = "$found" ]; do
    before=$found
    IFS='
'
    for row in $rows; do
      unset IFS
      set -- $row
      consider "$1" "$2" "$3" "$4" "\${5:-0}" "\${6:-0}"
    done
  done
  [ "$found" != ' ' ] && return
  # A number of which nothing lives may be given to somebody else while we go on looking.
  groups=' ' sessions=' ' apart=' '
  [ "$looks" -lt "$least" ]
}

# Gives them as many looks.
all_gone() {
  left=$1
  while look; do
    [ "$left" -gt 0 ] || return 1
    left=$((left - 1))
    sleep 0.1 2>/dev/null || sleep 1
  done
}

signal() {
  for group in $groups; do kill -s "$1" -- "-$group" 2>/dev/null; done
  for one in $apart; do
    case $found in *" \${one%:*} "*) kill -s "$1" -- "\${one%:*}" 2>/dev/null ;; esac
  done
}

all_gone ${LOOKS_BEFORE_TERM} && exit 0
signal TERM
all_gone ${looksBeforeKill} && exit 0
for again in ${KILLS}; do
  signal KILL
  all_gone 1 && exit 0
done
`;
}
