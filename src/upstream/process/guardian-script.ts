import { MARK_DESCRIPTOR } from './launch-mark.js';

/**
 * Number of checks, ten per second: after our process ended, after SIGTERM, and while sending SIGKILL. In total well
 * below 5 s.
 */
const CHECKS_BEFORE_TERM = 3;
const KILLS = '1 2 3 4 5 6 7 8 9 10';

export interface GuardianLimits {
  readonly checksBeforeKill: number;
  /** A process whose start was under way when we ended may need this many checks until it holds the mark. */
  readonly minChecks: number;
  /**
   * Descendants inherit the mark. Only a process this young (in ticks of 10 ms) can be one whose start we did not
   * report.
   */
  readonly youngTicks: number;
}

export const GUARDIAN_LIMITS: GuardianLimits = { checksBeforeKill: 10, minChecks: 10, youngTicks: 500 };

/** Written on an orderly end: the script knows of every start, so it need not search for marked processes. */
export const ALL_STARTS_REPORTED = '.\n';

/**
 * A program for `sh` that outlives our process. Lines `+7` and `-7` on stdin add and remove process groups; when stdin
 * ends, the script ends the remaining groups. Without `ALL_STARTS_REPORTED` it also ends young session leaders that hold the
 * same file as the script on `MARK_DESCRIPTOR`. `$1` is the directory that lists the processes (`/proc`); if it is
 * empty, the script runs `ps`.
 */
export function guardianScript({ checksBeforeKill, minChecks, youngTicks } = GUARDIAN_LIMITS): string {
  return `
trap '' HUP INT QUIT TERM PIPE
# Close inherited pipes: a process outside may wait for their end.
exec 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
groups=' '
least=${minChecks}
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
# In ticks since boot, like the start time of a process. Without an uptime file no process counts as young.
youngest=
[ -r "$list/uptime" ] && read -r uptime rest < "$list/uptime" && youngest=$((\${uptime%.*} * 100 + 1\${uptime#*.} - 100 - ${youngTicks}))
# A process cannot join an existing session, so all processes in our sessions are ours.
sessions=$groups
# Processes of ours outside our groups, as pid:start.
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
  # The process chooses its name, which may contain any character: match up to the last bracket.
  rows=$(cat "$list"/[0-9]*/stat 2>/dev/null |
    sed -n 's/^\\([0-9]*\\) (.*) \\([A-Za-z]\\) \\([0-9]*\\) \\([0-9]*\\) \\([0-9]*\\) \\([-0-9]* \\)\\{15\\}\\([0-9]*\\) .*/\\1 \\2 \\3 \\4 \\5 \\7/p')
  set -f
  [ -n "$rows" ] || rows=$(ps -A -o pid= -o stat= -o ppid= -o pgid= 2>/dev/null)
  # An unreadable process table does not mean that all processes ended.
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
  # Forget ids without a living process: the system may reuse them while we keep checking.
  groups=' ' sessions=' ' apart=' '
  [ "$looks" -lt "$least" ]
}

# Waits for at most this many checks.
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

all_gone ${CHECKS_BEFORE_TERM} && exit 0
signal TERM
all_gone ${checksBeforeKill} && exit 0
for again in ${KILLS}; do
  signal KILL
  all_gone 1 && exit 0
done
`;
}
