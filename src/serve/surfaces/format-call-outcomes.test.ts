import { describe, expect, it } from 'vitest';
import { ErrorCode, PortolanError } from '../../base/index.js';
import type { CallOutcome } from '../../gateway/index.js';
import { outcomesAnswer } from './format-call-outcomes.js';
import { objectOf, passed } from './mcp-answers.js';

const MAX = 1_000;
const call = { server: 's', tool: 't', toolArguments: {} };
const text = (value: string) => ({ type: 'text', text: value });
const answered = (value: Record<string, unknown>): CallOutcome => ({ kind: 'answered', call, result: { value } });
const contentOf = (...outcomes: CallOutcome[]) =>
  objectOf(outcomesAnswer(outcomes, (_server, result) => passed(result), MAX)).content;
const SUCCESS = text('{"call":0,"server":"s","tool":"t","success":true}');

describe('outcomesAnswer', () => {
  it.each([
    {
      title: 'images unchanged',
      value: { content: [{ type: 'image', data: 'AA==' }] },
      blocks: [{ type: 'image', data: 'AA==' }],
    },
    {
      title: 'structured content once',
      value: { content: [text('{ "a": 1 }')], structuredContent: { a: 1 } },
      blocks: [text('{ "a": 1 }')],
    },
    {
      title: 'structured content without a copy',
      value: { content: [text('one')], structuredContent: { a: 1 } },
      blocks: [text('one'), text('{"a":1}')],
    },
    { title: 'a task', value: { taskId: 'x', status: 'working' }, blocks: [text('{"taskId":"x","status":"working"}')] },
    { title: 'an empty result', value: { content: [] }, blocks: [] },
  ])('returns $title', ({ value, blocks }) => {
    expect(contentOf(answered(value))).toEqual([SUCCESS, ...blocks]);
  });

  it('returns the error of a failed call, and the results of the others', () => {
    const error = new PortolanError(ErrorCode.ToolNotFound, 'no t', { hint: 'h' });
    expect(contentOf(answered({ content: [] }), { kind: 'failed', call, error })).toEqual([
      SUCCESS,
      text(
        '{"call":1,"success":false,"error":{"code":"TOOL_NOT_FOUND","message":"no t","server":"s","tool":"t","hint":"h"}}',
      ),
    ]);
  });
});
