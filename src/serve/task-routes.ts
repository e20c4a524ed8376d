import { type Answer, isObject, RpcCode, RpcError } from '../base/index.js';
import type { Gateway } from '../gateway/index.js';
import type { ToolResult } from '../model/index.js';
import { passed } from './answers.js';
import type { FaceRequest } from './face.js';
import { paramsPassedOn } from './passed-on.js';

/** More tasks than anybody polls; the oldest are forgotten. */
const MAX_TASKS = 10_000;

const METHODS: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update']);

/** Where a long call goes on that answered with a task: whoever polls it is sent to the server that runs it. */
export class TaskRoutes {
  readonly #gateway: Gateway;
  readonly #servers = new Map<string, string>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** The same result, once it is known whose task it speaks of. */
  noted(server: string, result: ToolResult): ToolResult {
    const { task } = result.value;
    const id = isObject(task) ? task.taskId : result.value.taskId;
    if (typeof id !== 'string') return result;
    this.#servers.set(id, server);
    const [oldest] = this.#servers.keys();
    if (this.#servers.size > MAX_TASKS && oldest !== undefined) this.#servers.delete(oldest);
    return result;
  }

  answer({ method, params, conversation }: FaceRequest): Promise<Answer> | undefined {
    return METHODS.has(method) ? this.#poll(method, params, conversation) : undefined;
  }

  async #poll(
    method: string,
    params: FaceRequest['params'],
    conversation: FaceRequest['conversation'],
  ): Promise<Answer> {
    const server = typeof params.taskId === 'string' ? this.#servers.get(params.taskId) : undefined;
    if (server === undefined) throw new RpcError(RpcCode.invalidParams, 'no such task');
    return passed(await this.#gateway.request(server, method, paramsPassedOn(params), conversation));
  }
}
