import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Conversation } from '../../src/model/index.js';
import type { Answer } from '../../src/rpc/index.js';
import { ServerQuestions } from '../../src/serve/session/server-questions.js';
import type { Surface, SurfaceRequest } from '../../src/serve/surfaces/surface.js';

type Json = Record<string, unknown>;

const META = { capabilities: { elicitation: {} } };
const conversation = (client: string): Conversation => ({ client, signal: new AbortController().signal, ...META });

/** A surface over a server that answers as `act` defines. */
function faceOf(act: (request: SurfaceRequest) => Promise<Answer>): Surface {
  return { introduction: async () => ({ capabilities: {} }), answer: act, translate: () => undefined };
}

/** A server of an older revision, which sends a request during a call. */
const asking = faceOf(async ({ conversation: { ask } }) => {
  const answer = await ask?.('elicitation/create', { message: 'name?' });
  return { value: { content: [{ type: 'text', text: JSON.stringify(answer) }] } };
});

/** A stateless server: it must receive its own state unchanged. */
const stateless = faceOf(async ({ conversation: { retryInput } }) =>
  retryInput?.state === 'upstream-state'
    ? { value: { resultType: 'complete', got: retryInput.responses } }
    : { value: { resultType: 'input_required', inputRequests: { name: {} }, requestState: 'upstream-state' } },
);

function request(client: string, params: Json): SurfaceRequest {
  const principal = client.replace(/@.*/, '');
  return {
    method: 'tools/call',
    params: { name: 'x', ...params },
    era: 'modern',
    conversation: conversation(client),
    principal,
  };
}

const objectOf = (answer: Answer | undefined): Json => (answer && 'value' in answer ? (answer.value as Json) : {});

describe.each([
  { kind: 'of a call that is held', surface: asking, key: '0' },
  { kind: 'that a server wants back', surface: stateless, key: 'name' },
])('a requestState $kind', { tags: 'S11' }, ({ surface, key }) => {
  let questions: ServerQuestions;
  beforeEach(() => {
    questions = new ServerQuestions();
  });
  afterEach(() => {
    questions[Symbol.dispose]();
    vi.useRealTimers();
  });
  const answer = async (client: string, params: Json) =>
    objectOf(await questions.answer(request(client, params), surface));

  it('completes the call with the client’s response', async () => {
    const asked = await answer('a@1', {});
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { [key]: expect.anything() } });
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } };
    const done = await answer('a@2', { requestState: asked.requestState, inputResponses });
    expect(JSON.stringify(done)).toContain('Ada');
    expect(done.resultType).not.toBe('input_required');
  });

  it('does not show the server’s state, and differs each time', async () => {
    const [first, second] = [await answer('a@1', {}), await answer('a@2', {})];
    expect(first.requestState).not.toBe('upstream-state');
    expect(first.requestState).not.toBe(second.requestState);
  });

  it.each([
    { title: 'another client', client: 'b@2', change: (state: string) => state },
    { title: 'a changed text', client: 'a@2', change: (state: string) => `${state}-TAMPERED` },
    { title: 'an invented text', client: 'a@2', change: () => 'upstream-state' },
  ])('is refused with $title', async ({ client, change }) => {
    const asked = await answer('a@1', {});
    const params = { requestState: change(String(asked.requestState)), inputResponses: { [key]: {} } };
    await expect(answer(client, params)).rejects.toMatchObject({ fault: { code: -32602 } });
  });

  it('is refused after it expired, with a hint', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const asked = await answer('a@1', {});
    vi.setSystemTime(Date.now() + 2 * 3_600_000);
    const params = { requestState: asked.requestState, inputResponses: { [key]: {} } };
    await expect(answer('a@2', params)).rejects.toThrow('has expired: repeat the call');
  });
});

describe.each([
  { kind: 'that a server wants back', surface: stateless },
  { kind: 'of a call that is held', surface: asking },
])('a state $kind', { tags: 'S11' }, ({ surface }) => {
  const EXECUTE = { name: 'execute_tool', arguments: { server: 'one', tool: 'x', arguments: {} } };
  it.each([
    { title: 'for another tool', first: { name: 'x' }, other: { name: 'y' } },
    {
      title: 'for another server behind the same tool',
      first: EXECUTE,
      other: { ...EXECUTE, arguments: { ...EXECUTE.arguments, server: 'two' } },
    },
    {
      title: 'for another tool of the same server',
      first: EXECUTE,
      other: { ...EXECUTE, arguments: { ...EXECUTE.arguments, tool: 'y' } },
    },
  ])('is refused $title', async ({ first, other }) => {
    using questions = new ServerQuestions();
    const asked = objectOf(await questions.answer(request('a@1', first), surface));
    expect(asked).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    const bring = (params: Json) =>
      questions.answer(request('a@2', { ...params, requestState: asked.requestState, inputResponses: {} }), surface);
    await expect(bring(other)).rejects.toMatchObject({ fault: { code: -32602 } });
    await expect(bring(first)).resolves.toBeDefined();
  });
});

it('the state of a held call is accepted once, even if it is sent twice at the same time', {
  tags: 'S11',
}, async () => {
  using questions = new ServerQuestions();
  const asked = objectOf(await questions.answer(request('a@1', {}), asking));
  const again = () => {
    const inputResponses = { 0: { action: 'accept' } };
    return questions.answer(request('a@2', { requestState: asked.requestState, inputResponses }), asking);
  };
  const retryInput = await Promise.allSettled([again(), again()]);
  expect(retryInput.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});
