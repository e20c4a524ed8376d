/** Older output is about something else: a server may have run for days before it crashed. */
const MAX_LINES = 80;
const MAX_LINE_CHARACTERS = 300;
const SEPARATOR = ' | ';

/** The head of an exception, a fatal error or a panic, as runtimes and package managers write it. */
const STRONG =
  /^(?:uncaught |unhandled )?(?:[\w.$]*(?:error|exception)\b(?: \[\w+\])?: |npm (?:err!|error) |fatal\b|panic: |thread '.*' panicked|error[:[ ]|exception in thread )/i;
/** A line that reports a failure in some other form. */
const WEAK =
  /\b(?:error|fatal|panic|exception|failed|failure|cannot|could not|unable|not found|denied|missing|invalid)\b/i;
/** The codes that npm prints before the reason. */
const WITHOUT_REASON = /^npm (?:err!|error) (?:code |errno |syscall |path )/i;
/** Lines around an error that do not say what failed: frames, marks, the version of Node, headings of tracebacks. */
const AROUND =
  /^(?:\s|at |node\.js v\d|[\]})]+[,;]?$|\^|traceback \(|during handling of|the above exception|note: run with|goroutine \d|\S+:\d+$|node:\S+$|exit status \d+$|[\w./*]+\(\S*\)$|npm notice|npm (?:err!|error)(?: \d{3})?(?:\s*$| (?:a complete log|note that|tarball)))/i;

/** The first error line of a server's output and its last line, without stack traces; the newest lines if none is an error. */
export function errorLines(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-MAX_LINES);
  const speaking = lines.filter((line) => !AROUND.test(line));
  if (speaking.length === 0) return lines.slice(-2).map(short).join(SEPARATOR);
  const first =
    speaking.find((line) => STRONG.test(line) && !WITHOUT_REASON.test(line)) ??
    speaking.find((line) => WEAK.test(line)) ??
    speaking.at(-2);
  const shown = [first, speaking.at(-1)].filter((line) => line !== undefined);
  return [...new Set(shown)].map(short).join(SEPARATOR);
}

function short(line: string): string {
  const plain = line.trim();
  return plain.length > MAX_LINE_CHARACTERS ? `${plain.slice(0, MAX_LINE_CHARACTERS - 1)}…` : plain;
}
