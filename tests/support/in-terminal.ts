import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts a program in a pseudo-terminal, and types each answer after its question has been printed. */
const DRIVER = `
import json, os, pty, sys
args, dialog, env, cwd = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(cwd)
    os.execvpe(args[0], args, env)
printed = b""
while True:
    while dialog and dialog[0][0].encode() in printed:
        os.write(terminal, dialog.pop(0)[1].encode())
    try:
        part = os.read(terminal, 4096)
    except OSError:
        part = b""
    if not part:
        break
    printed += part
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({"status": status, "screen": printed.decode()}))
`;

/** Runs a program in a terminal; needs python3. Returns everything that the terminal shows. */
export async function inTerminal(
  words: readonly string[],
  dialog: readonly (readonly [question: string, typed: string])[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<{ readonly status: number; readonly screen: string }> {
  const child = spawn('python3', ['-c', DRIVER, JSON.stringify([words, dialog, env, cwd])], { timeout: 60_000 });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
  child.stderr.pipe(process.stderr);
  await once(child, 'close');
  return JSON.parse(text);
}
