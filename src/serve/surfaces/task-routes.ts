import { isObject, randomKey, seal, unseal } from '../../base/index.js';
import type { Gateway } from '../../gateway/index.js';
import type { ElicitationCount, ToolResult } from '../../model/index.js';
import { type Answer, RpcCode, RpcError } from '../../rpc/index.js';
import { forwardedParams } from './forward-params.js';
import { passed } from './mcp-answers.js';
import type { SurfaceRequest } from './surface.js';

/** The lifetime of a sealed task id. */
const TASK_MS = 24 * 3_600_000;
/** The number of tasks whose questions are remembered; the oldest is dropped first. */
const MAX_TASKS = 1_000;

const METHODS: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update']);

/**
 * Long calls that return a task. The task id is sealed with its server, because two servers may use the same id, and
 * for its client, because no other client may read the result.
 */
export class TaskRoutes {
  readonly #gateway: Gateway;
  readonly #key = randomKey();
  readonly #asked = new Map<string, ElicitationCount>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** A server's result as an answer, with a sealed task id. */
  answered(server: string, result: ToolResult, principal: string): Answer {
    const sealed = (id: string) =>
      seal(this.#key, { kind: 'task', bound: [principal] }, [server, id], Date.now() + TASK_MS);
    return renamed(result, sealed);
  }

  answer(request: SurfaceRequest): Promise<Answer> | undefined {
    return METHODS.has(request.method) ? this.#poll(request) : undefined;
  }

  async #poll({ method, params, conversation, principal }: SurfaceRequest): Promise<Answer> {
    const { taskId } = params;
    const opened =
      typeof taskId === 'string'
        ? unseal(this.#key, { kind: 'task', bound: [principal] }, taskId, Date.now())
        : undefined;
    const [server, id] = opened?.kind === 'open' && Array.isArray(opened.value) ? opened.value : [];
    if (typeof server !== 'string' || typeof id !== 'string')
      throw new RpcError(RpcCode.invalidParams, 'the task does not exist');
    const inner = forwardedParams({ ...params, taskId: id });
    const elicitations = this.#countOf(String(taskId));
    const result = await this.#gateway.request(server, method, inner, { ...conversation, elicitations });
    return renamed(result, (found) => (found === id ? String(taskId) : found));
  }

  /** A task counts as one call, however often its state is read. */
  #countOf(task: string): ElicitationCount {
    const known = this.#asked.get(task);
    if (known) return known;
    const [oldest] = this.#asked.keys();
    if (oldest !== undefined && this.#asked.size >= MAX_TASKS) this.#asked.delete(oldest);
    const count = { count: 0, seen: new Set<string>() };
    this.#asked.set(task, count);
    return count;
  }
}

/** The same result with another task id, if it has one. */
function renamed(result: ToolResult, rename: (id: string) => string): Answer {
  const { value } = result;
  const { task, taskId } = value;
  if (typeof taskId === 'string') return { value: { ...value, taskId: rename(taskId) } };
  if (!isObject(task) || typeof task.taskId !== 'string') return passed(result);
  return { value: { ...value, task: { ...task, taskId: rename(task.taskId) } } };
}
