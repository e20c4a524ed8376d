import { decode } from '@toon-format/toon';
import { describe, expect, it } from 'vitest';
import type { PythonRun } from '../../gateway/index.js';
import { pythonAnswer } from './format-python-answer.js';

const where = { engine: 'bwrap', guarantees: ['no network', 'no files'] };
const WHERE = '[sandbox] bwrap: no network; no files';

const RUNS: readonly { title: string; run: PythonRun; text: string; isError?: true }[] = [
  { title: 'no output', run: { answer: where }, text: WHERE },
  {
    title: 'output and a result',
    run: { answer: { ...where, stdout: 'one\ntwo\n', result: [1] }, resultText: '[1]' },
    text: `one\ntwo\n[result] [1]\n${WHERE}`,
  },
  {
    title: 'an exception',
    run: {
      answer: { ...where, stderr: 'warned\n', error: { type: 'mcp.ToolError', code: 'C', message: 'no', line: 3 } },
    },
    text: `[stderr]\nwarned\n[error] mcp.ToolError C: no (line 3)\n${WHERE}`,
    isError: true,
  },
  {
    title: 'files and lost state',
    run: { answer: { ...where, files: [{ path: 'a/b.txt', bytes: 2, text: 'hi' }], stateLost: true } },
    text: `[file] a/b.txt, 2 bytes\n[session] the variables, imports and files of earlier runs were lost\n${WHERE}`,
  },
];

describe('pythonAnswer', () => {
  it.each(RUNS)('formats $title as compact text and as a structured value', async ({ run, text, isError }) => {
    expect(await pythonAnswer(run, 'text')).toEqual({
      value: { content: [{ type: 'text', text }], structuredContent: run.answer, ...(isError && { isError }) },
    });
  });

  it.each(RUNS)('formats $title as TOON if the settings ask for it', async ({ run }) => {
    const { value } = (await pythonAnswer(run, 'toon')) as { value: { content: { text: string }[] } };
    expect(decode(value.content[0]?.text ?? '')).toEqual(run.answer);
  });
});
