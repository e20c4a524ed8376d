import { isObject, randomKey, seal, unseal } from '../../base/index.js';
import type { Gateway } from '../../gateway/index.js';
import type { ElicitationCount, ToolResult } from '../../model/index.js';
import { type Answer, RpcCode, RpcError } from '../../rpc/index.js';
import { paramsPassedOn } from './forward-params.js';
import { passed } from './mcp-answers.js';
import type { SurfaceRequest } from './surface.js';

/** Nobody polls a task for longer. */
const TASK_MS = 24 * 3_600_000;
/** As many tasks are remembered with the questions that they have asked; the oldest is forgotten first. */
const MAX_TASKS = 1_000;

const METHODS: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update']);

/**
 * Long calls that answer with a task. Its id is sealed before it leaves: with the server that runs it, because two
 * servers may use the same, and for the client that began it, because nobody else may ask for what comes of it.
 */
export class TaskRoutes {
  readonly #gateway: Gateway;
  readonly #key = randomKey();
  readonly #asked = new Map<string, ElicitationCount>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** A server's result as an answer. */
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
      throw new RpcError(RpcCode.invalidParams, 'there is no such task');
    const inner = paramsPassedOn({ ...params, taskId: id });
    const elicitations = this.#countOf(String(taskId));
    const result = await this.#gateway.request(server, method, inner, { ...conversation, elicitations });
    return renamed(result, (found) => (found === id ? String(taskId) : found));
  }

  /** A task is one call, however often its state is read. */
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

/** The same result with another id for its task, if it speaks of one. */
function renamed(result: ToolResult, rename: (id: string) => string): Answer {
  const { value } = result;
  const { task, taskId } = value;
  if (typeof taskId === 'string') return { value: { ...value, taskId: rename(taskId) } };
  if (!isObject(task) || typeof task.taskId !== 'string') return passed(result);
  return { value: { ...value, task: { ...task, taskId: rename(task.taskId) } } };
}
