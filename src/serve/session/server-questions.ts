import { isObject, randomKey, seal, sha256, unseal } from '../../base/index.js';
import { CAPABILITY_FOR, type Conversation } from '../../model/index.js';
import { type Answer, RpcCode, RpcError } from '../../rpc/index.js';
import { objectOf } from '../surfaces/mcp-answers.js';
import type { Surface, SurfaceRequest } from '../surfaces/surface.js';
import { unsupportedByClient } from './conversation.js';
import { type Ask, SuspendedCalls } from './suspended-calls.js';

/** The requests whose result may be a question. */
const MAY_ASK: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
const PASSED_MS = 3_600_000;

/** The server's own state, if any, and the number of questions asked during the call. */
interface Passed {
  readonly state: string | undefined;
  readonly asked: number;
}

const NOTHING: Passed = { state: undefined, asked: 0 };

/** Carries servers' questions to clients and the answers back, between any two eras. Shared by all clients. */
export class ServerQuestions implements Disposable {
  readonly #key = randomKey();
  readonly #held = new SuspendedCalls(this.#key);

  /** The surface's result, or questions for the client. */
  answer(request: SurfaceRequest, surface: Surface): Promise<Answer> | undefined {
    const { method, era } = request;
    return era === 'modern' && MAY_ASK.has(method) ? this.#converse(request, surface) : surface.answer(request);
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
  }

  async #converse(request: SurfaceRequest, surface: Surface): Promise<Answer> {
    const { inputResponses, requestState, ...params } = request.params;
    if (requestState !== undefined && typeof requestState !== 'string')
      throw new RpcError(RpcCode.invalidParams, 'requestState must be a string');
    const bound = [request.principal, targetOf(request)];
    if (requestState !== undefined && this.#held.isOurs(bound, requestState))
      return this.#held.resume(
        bound,
        requestState,
        isObject(inputResponses) ? inputResponses : {},
        request.conversation,
      );
    const { state, asked } = requestState === undefined ? NOTHING : this.#opened(requestState, bound);
    const elicitations = { count: asked };
    const { conversation } = request;
    const answer = await this.#held.start(
      bound,
      async (ask, signal, sink) => {
        const answer = surface.answer({
          ...request,
          params,
          conversation: {
            ...conversation,
            signal,
            // Looked up for each message, because another request may be waiting for the call by then.
            ...(conversation.progress && { progress: (step) => sink.progress?.(step) }),
            ...(conversation.log && { log: (entry) => sink.log?.(entry) }),
            ask: askable(ask, conversation),
            acceptsInputRequests: true,
            elicitations,
            ...((inputResponses !== undefined || state !== undefined) && {
              retryInput: carried(inputResponses, state),
            }),
          },
        });
        if (!answer) throw new RpcError(RpcCode.methodNotFound, `unknown method ${request.method}`);
        return this.#sealed(await answer, bound, elicitations.count);
      },
      conversation,
    );
    return answer;
  }

  /** Seals the server's state, bound to this client and target, together with the number of questions asked. */
  #sealed(answer: Answer, bound: readonly string[], asked: number): Answer {
    if ('json' in answer) return answer;
    const value = objectOf(answer);
    const { resultType, requestState: state } = value;
    if (resultType !== 'input_required' || (typeof state !== 'string' && asked === 0)) return answer;
    const sealed = seal(
      this.#key,
      { kind: 'passed', bound },
      [typeof state === 'string' ? state : null, randomKey(), asked],
      Date.now() + PASSED_MS,
    );
    return { value: { ...value, requestState: sealed } };
  }

  #opened(text: string, bound: readonly string[]): Passed {
    const opened = unseal(this.#key, { kind: 'passed', bound }, text, Date.now());
    if (opened.kind === 'open' && Array.isArray(opened.value)) {
      const [state, , asked] = opened.value;
      return { state: typeof state === 'string' ? state : undefined, asked: Number(asked) };
    }
    const why =
      opened.kind === 'expired' ? 'has expired: repeat the call without it' : 'is invalid for this client and call';
    throw new RpcError(RpcCode.invalidParams, `the requestState ${why}`);
  }
}

function carried(responses: unknown, state: string | undefined): NonNullable<Conversation['retryInput']> {
  return { ...(responses !== undefined && { responses }), ...(state !== undefined && { state }) };
}

/** Sends a client only questions that it declared support for. */
function askable(ask: Ask, { capabilities = {}, ask: askOthers }: Conversation): NonNullable<Conversation['ask']> {
  return async (method, params) => {
    const capability = CAPABILITY_FOR[method];
    if (capability !== undefined && capabilities[capability] !== undefined) return ask({ method, params });
    if (askOthers) return askOthers(method, params);
    throw unsupportedByClient(method);
  };
}

/** The target of a request, so that an answer cannot be used for another call. */
function targetOf({ method, params }: SurfaceRequest): string {
  const { server, tool, calls } = isObject(params.arguments) ? params.arguments : {};
  const several = calls === undefined ? undefined : sha256(JSON.stringify(calls));
  return JSON.stringify([method, params.name ?? params.uri, server, tool, several]);
}
