import { ErrorCode, isObject, PortolanError } from '../base/index.js';
import type { Conversation, ToolResult } from '../model/index.js';

/** A server that asks for ever gets no further answers. */
const MAX_ROUNDS = 16;

type Request = (params: Readonly<Record<string, unknown>>) => Promise<ToolResult>;

/**
 * A stateless server does not ask while it works: it answers with its questions and is called again with what came of
 * them. A client of that kind gets the questions as they are; for any other they are put to it here.
 */
export async function answerOnce(
  params: Readonly<Record<string, unknown>>,
  { ask, takesQuestions, brought }: Partial<Conversation>,
  request: Request,
): Promise<ToolResult> {
  let asked = brought ? { ...params, ...carried(brought.responses, brought.state) } : params;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const result = await request(asked);
    if (result.value.resultType !== 'input_required' || takesQuestions === true) return result;
    const { inputRequests, requestState } = result.value;
    if (!ask) throw unanswerable('the client cannot be asked');
    const responses: Record<string, unknown> = {};
    for (const [key, question] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
      if (!isObject(question) || typeof question.method !== 'string') throw unanswerable('a question is not readable');
      responses[key] = await ask(question.method, isObject(question.params) ? question.params : {});
    }
    asked = { ...params, ...carried(responses, typeof requestState === 'string' ? requestState : undefined) };
  }
  throw unanswerable(`it asked more than ${MAX_ROUNDS} times`);
}

function carried(responses: unknown, state: string | undefined): Record<string, unknown> {
  return {
    ...(responses !== undefined && { inputResponses: responses }),
    ...(state !== undefined && { requestState: state }),
  };
}

function unanswerable(why: string): PortolanError {
  return new PortolanError(ErrorCode.ToolExecutionError, `the tool asks a question that cannot be answered: ${why}`, {
    hint: 'use a client that can be asked (elicitation, sampling), or pass what it asks for as an argument',
  });
}
