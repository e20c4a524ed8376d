import { describe, expect, it } from 'vitest';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { withTerminalHint } from './terminal-hints.js';

describe('withTerminalHint', () => {
  it.each([
    ['list_tools shows the tools of my notes', "portolan tools 'my notes' shows its tools"],
    ['get_tool_details of notes add shows its arguments', 'portolan inspect notes add shows its arguments'],
    [
      'add(text: string); nearest valid arguments: {"text":"a b"}',
      `add(text: string); nearest valid arguments: --args '{"text":"a b"}'`,
    ],
    ['list_mcp_servers shows the names', 'portolan list shows the names'],
    ['ask the user to run: portolan approve notes', 'run: portolan approve notes'],
    ['the user can see the rule with: portolan why notes', 'you can see the rule with: portolan why notes'],
    ['they can change that with: portolan approve notes', 'you can change that with: portolan approve notes'],
    ['did you mean add_note?', 'did you mean add_note?'],
  ])('has for %j: %j', (original, instead) => {
    const cause = new Error('why');
    const error = new PortolanError(ErrorCode.ToolNotFound, 'no such tool', { hint: original, cause });
    expect(withTerminalHint(error)).toEqual(
      new PortolanError(ErrorCode.ToolNotFound, 'no such tool', { hint: instead, cause }),
    );
  });

  it('does not change other errors', () => {
    const fault = new TypeError('list_tools');
    expect(withTerminalHint(fault)).toBe(fault);
  });
});
