import { ErrorCode, isObject, PortolanError } from '../../base/index.js';
import type { Conversation, ToolResult } from '../../model/index.js';

/** Limits the rounds of questions in one call. */
const MAX_ROUNDS = 16;

type Request = (params: Readonly<Record<string, unknown>>) => Promise<ToolResult>;

/** Whether the result asks for input that the client does not provide itself. */
export function asksForMore({ value }: ToolResult, { acceptsInputRequests }: Partial<Conversation>): boolean {
  return value.resultType === 'input_required' && acceptsInputRequests !== true;
}

/** The parameters with the answers that the client sent along. */
export function withAnswers(
  params: Readonly<Record<string, unknown>>,
  { responses, state }: NonNullable<Conversation['retryInput']>,
): Readonly<Record<string, unknown>> {
  return { ...params, ...carried(responses, state) };
}

/**
 * A stateless server returns its questions as a result and is called again with the answers. Modern clients receive such a
 * result themselves; for older clients, this function asks the questions.
 */
export async function answerQuestions(
  first: ToolResult,
  params: Readonly<Record<string, unknown>>,
  options: Partial<Conversation>,
  request: Request,
): Promise<ToolResult> {
  const { ask } = options;
  let result = first;
  for (let round = 1; round < MAX_ROUNDS; round += 1) {
    const { inputRequests, requestState } = result.value;
    if (!ask) throw unanswerable('the client cannot be asked');
    const responses: Record<string, unknown> = {};
    for (const [key, question] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
      if (!isObject(question) || typeof question.method !== 'string') throw unanswerable('a question is malformed');
      responses[key] = await ask(question.method, isObject(question.params) ? question.params : {});
    }
    const state = typeof requestState === 'string' ? requestState : undefined;
    result = await request({ ...params, ...carried(responses, state) });
    if (!asksForMore(result, options)) return result;
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
