import { isObject, randomKey, seal, unseal } from '../../base/index.js';
import { ABILITY_FOR, type Conversation } from '../../model/index.js';
import { type Answer, RpcCode, RpcError } from '../../rpc/index.js';
import { objectOf } from '../surfaces/mcp-answers.js';
import type { Surface, SurfaceRequest } from '../surfaces/surface.js';
import { cannotDo } from './conversation.js';
import { type Ask, SuspendedCalls } from './suspended-calls.js';

/** The requests in whose answer a server may ask for more. */
const MAY_ASK: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
const PASSED_MS = 3_600_000;

/** The server's own state, if it has one, and how often its client was asked during the call. */
interface Passed {
  readonly state: string | undefined;
  readonly asked: number;
}

const NOTHING: Passed = { state: undefined, asked: 0 };

/** Carries questions of servers to clients and answers back, whichever era either is of. One for all clients. */
export class ServerQuestions implements Disposable {
  readonly #key = randomKey();
  readonly #held = new SuspendedCalls(this.#key);

  /** The answer of the face, or its questions where it has some. */
  answer(request: SurfaceRequest, face: Surface): Promise<Answer> | undefined {
    const { method, era } = request;
    return era === 'modern' && MAY_ASK.has(method) ? this.#converse(request, face) : face.answer(request);
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
  }

  async #converse(request: SurfaceRequest, face: Surface): Promise<Answer> {
    const { inputResponses, requestState, ...params } = request.params;
    if (requestState !== undefined && typeof requestState !== 'string')
      throw new RpcError(RpcCode.invalidParams, 'requestState is not a text');
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
      async (ask, signal, voice) => {
        const answer = face.answer({
          ...request,
          params,
          conversation: {
            ...conversation,
            signal,
            // Asked for at each word: whoever waits for the call may be another request by then.
            ...(conversation.progress && { progress: (step) => voice.progress?.(step) }),
            ...(conversation.log && { log: (entry) => voice.log?.(entry) }),
            ask: askable(ask, conversation),
            takesQuestions: true,
            elicitations,
            ...((inputResponses !== undefined || state !== undefined) && { brought: carried(inputResponses, state) }),
          },
        });
        if (!answer) throw new RpcError(RpcCode.methodNotFound, `unknown method ${request.method}`);
        return this.#sealed(await answer, bound, elicitations.count);
      },
      conversation,
    );
    return answer;
  }

  /** What a server wants back is bound to this client and this target before it leaves, with how often the client was asked. */
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
    const why = opened.kind === 'expired' ? 'has expired: make the call again without it' : 'is not one of ours';
    throw new RpcError(RpcCode.invalidParams, `the requestState ${why}`);
  }
}

function carried(responses: unknown, state: string | undefined): NonNullable<Conversation['brought']> {
  return { ...(responses !== undefined && { responses }), ...(state !== undefined && { state }) };
}

/** A client is asked only what it said it can do. */
function askable(ask: Ask, { abilities = {}, ask: askOthers }: Conversation): NonNullable<Conversation['ask']> {
  return async (method, params) => {
    const ability = ABILITY_FOR[method];
    if (ability !== undefined && abilities[ability] !== undefined) return ask({ method, params });
    if (askOthers) return askOthers(method, params);
    throw cannotDo(method);
  };
}

/** What a request is about: an answer to one question is none to another. */
function targetOf({ method, params }: SurfaceRequest): string {
  const { server, tool } = isObject(params.arguments) ? params.arguments : {};
  return JSON.stringify([method, params.name ?? params.uri, server, tool]);
}
