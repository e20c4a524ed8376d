const TEXT_MS = 10_000;
const MAX_TEXT_BYTES = 64 * 1024;

/** The stdout of a program of this machine, or why it failed; never rejects. */
export async function textOf(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return (await answerOf(command, args, env)).text;
}

/** Like `textOf`, with whether the program succeeded. */
export async function answerOf(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve) => {
    execFile(
      command,
      [...args],
      { timeout: TEXT_MS, killSignal: 'SIGKILL', maxBuffer: MAX_TEXT_BYTES, env: { ...env }, windowsHide: true },
      (error, out, errors) =>
        resolve(error ? { ok: false, text: errors || out || error.message } : { ok: true, text: out || errors }),
    );
  });
}
