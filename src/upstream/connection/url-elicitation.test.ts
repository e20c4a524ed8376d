import { describe, expect, it } from 'vitest';
import { ErrorCode, PortolanError } from '../../base/index.js';
import type { ToolResult } from '../../model/index.js';
import { RpcError } from '../../rpc/index.js';
import { withUrlElicitation } from './url-elicitation.js';

const PAGE = { mode: 'url', message: 'sign the form', url: 'https://forms.example/1', elicitationId: 'e-1' };
const DONE: ToolResult = { value: { content: [] } };

function refused(data: unknown, code = -32042): PortolanError {
  return new PortolanError(ErrorCode.ToolExecutionError, 'first the form', {
    cause: new RpcError(code, 'first', data),
  });
}

/** A server that returns these answers one after the other. */
function server(...answers: readonly (PortolanError | ToolResult)[]) {
  let sent = 0;
  const send = async () => {
    const answer = answers[Math.min(sent, answers.length - 1)];
    sent += 1;
    if (!answer || answer instanceof PortolanError) throw answer;
    return answer;
  };
  return { send, sent: () => sent };
}

function person(action: string) {
  const asked: unknown[] = [];
  const ask = async (method: string, params: Readonly<Record<string, unknown>>) => {
    asked.push({ method, params });
    return { action };
  };
  return { asked, ask };
}

describe('withUrlElicitation', () => {
  it('asks the user to open each page, and sends the request again', async () => {
    const { send, sent } = server(refused({ elicitations: [PAGE, { ...PAGE, elicitationId: 'e-2' }] }), DONE);
    const { asked, ask } = person('accept');
    expect(await withUrlElicitation({ acceptsInputRequests: true, ask }, send)).toBe(DONE);
    const pages = [PAGE, { ...PAGE, elicitationId: 'e-2' }];
    expect([asked, sent()]).toEqual([pages.map((params) => ({ method: 'elicitation/create', params })), 2]);
  });

  it.each([
    {
      title: 'declines',
      asking: person('decline'),
      message: /the page https:\/\/forms\.example\/1 first.*the user declined/,
    },
    { title: 'cannot be asked', asking: {}, message: /the client cannot be asked/ },
  ])('fails with a modern error if the user $title', async ({ asking, message }) => {
    const { send, sent } = server(refused({ elicitations: [PAGE] }));
    const error = await withUrlElicitation({ acceptsInputRequests: true, ...asking }, send).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'TOOL_EXECUTION_ERROR', message: expect.stringMatching(message) });
    expect([(error as Error).cause, sent()]).toEqual([undefined, 1]);
  });

  it('limits the number of rounds', async () => {
    const { send, sent } = server(refused({ elicitations: [PAGE] }));
    const { ask } = person('accept');
    await expect(withUrlElicitation({ acceptsInputRequests: true, ask }, send)).rejects.toThrow('too many pages');
    expect(sent()).toBe(16);
  });

  it.each([
    {
      title: 'any other error',
      error: refused({ elicitations: [PAGE] }, -32603),
      client: { acceptsInputRequests: true },
    },
    { title: 'the error to a client that knows it', error: refused({ elicitations: [PAGE] }), client: {} },
  ])('passes on $title unchanged', async ({ error, client }) => {
    const { send, sent } = server(error);
    await expect(withUrlElicitation({ ...client, ask: person('accept').ask }, send)).rejects.toBe(error);
    expect(sent()).toBe(1);
  });
});
