import type { PythonAnswer, PythonRun } from '../../gateway/index.js';
import type { Answer } from '../../rpc/index.js';

/** The result of a program: a text that costs a model few tokens, and a structured value. */
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

/** The output as printed, then labelled sections, the sandbox last. */
function plainText({ answer, resultText }: PythonRun): string {
  const { engine, guarantees, stdout, stderr, error, files, stateLost } = answer;
  const parts = [
    ...(stdout === undefined ? [] : [stdout.trimEnd()]),
    ...(stderr === undefined ? [] : [`[stderr]\n${stderr.trimEnd()}`]),
    ...(resultText === undefined ? [] : [`[result] ${resultText}`]),
    ...(error ? [`[error] ${errorText(error)}`] : []),
    ...(files ?? []).map(({ path, bytes }) => `[file] ${path}, ${bytes} bytes`),
    ...(stateLost ? ['[session] the variables, imports and files of earlier runs were lost'] : []),
    `[sandbox] ${engine}: ${guarantees.join('; ')}`,
  ];
  return parts.join('\n');
}

function errorText({ type, message, line, code }: NonNullable<PythonAnswer['error']>): string {
  const where = line === undefined ? '' : ` (line ${line})`;
  return `${type}${code === undefined ? '' : ` ${code}`}: ${message}${where}`;
}
