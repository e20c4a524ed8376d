import type { PythonAnswer, PythonRun } from '../../gateway/index.js';
import type { Answer } from '../../rpc/index.js';

/** How a program went: as a text that a model reads with few tokens, and the same as a value for a program. */
export async function pythonAnswer(run: PythonRun, output: 'text' | 'toon'): Promise<Answer> {
  const { answer } = run;
  const text = output === 'toon' ? await toonText(answer) : plainText(run);
  const content = [{ type: 'text', text }];
  return { value: { content, structuredContent: answer, ...(answer.error && { isError: true }) } };
}

async function toonText(answer: PythonAnswer): Promise<string> {
  const { encode } = await import('@toon-format/toon');
  return encode(answer);
}

/** What was printed as it was, then the rest under headings, last where it ran. */
function plainText({ answer, resultText }: PythonRun): string {
  const { engine, guarantees, stdout, stderr, error, files, stateLost } = answer;
  const parts = [
    ...(stdout === undefined ? [] : [stdout.trimEnd()]),
    ...(stderr === undefined ? [] : [`[stderr]\n${stderr.trimEnd()}`]),
    ...(resultText === undefined ? [] : [`[result] ${resultText}`]),
    ...(error ? [`[error] ${errorText(error)}`] : []),
    ...(files ?? []).map(({ path, bytes }) => `[file] ${path}, ${bytes} bytes`),
    ...(stateLost ? ['[session] what earlier runs left is gone: variables, imports and files begin anew'] : []),
    `[sandbox] ${engine}: ${guarantees.join('; ')}`,
  ];
  return parts.join('\n');
}

function errorText({ type, message, line, code }: NonNullable<PythonAnswer['error']>): string {
  const where = line === undefined ? '' : ` (line ${line})`;
  return `${type}${code === undefined ? '' : ` ${code}`}: ${message}${where}`;
}
