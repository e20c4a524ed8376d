import { ErrorCode, PortolanError } from '../../base/index.js';
import type { Conversation, ToolResult } from '../../model/index.js';
import {
  type Capability,
  DEFAULT_LIMITS,
  type HostCall,
  type JobServer,
  type Limits,
  type Sandbox,
  WrittenResult,
} from '../../sandbox/index.js';
import type { Settings } from '../../settings/index.js';
import type { CallDetails } from '../execute.js';
import { projectMemories } from './project-memories.js';
import { pythonAliases } from './python-alias.js';
import { answerTo, type PythonAnswer } from './python-answer.js';
import { type ServerToolList, serversInReach } from './reachable-servers.js';
import { type DocumentedGateway, runtimeFunction } from './runtime-functions.js';

/** A program and its options. */
export interface PythonRequest {
  readonly code: string;
  /** Omitted: every approved server. */
  readonly servers?: readonly string[];
  readonly timeoutSeconds?: number;
  /** False: the program neither sees nor leaves variables of the client's session. */
  readonly session?: boolean;
}

/** The answer, and the result's Python `repr`. */
export interface PythonRun {
  readonly answer: PythonAnswer;
  readonly resultText?: string;
}

/** The environment in which one gateway runs programs. */
export interface PythonEnvironment {
  readonly sandbox: Sandbox;
  /** The key of a client's session in the sandbox, which other gateways share. */
  keyOf(session: string): string;
  readonly stateFolder: string;
  readonly project: string;
  /** True on the first call for a session, so that state lost with an earlier gateway is reported once. */
  isFirst(session: string): boolean;
}

/** The gateway as a program reaches it, with the same methods that clients use. */
export interface PythonGateway extends ServerToolList, DocumentedGateway {
  readonly view: ServerToolList['view'] & { readonly settings: Settings };
  executeTool(
    server: string,
    tool: string,
    toolArguments: unknown,
    conversation: Conversation,
    more?: CallDetails,
  ): Promise<ToolResult>;
}

/** The interval of progress notifications while a program runs. */
const PROGRESS_MS = 1_000;
const MAX_CODE_BYTES = 1024 * 1024;
/** The tool lists of all servers together may be larger than a program can use. */
const MAX_JOB_BYTES = 16 * 1024 * 1024;

/** Runs one program. Errors of the program are part of the result; rejects only with what prevents its start. */
export async function runPython(
  gateway: PythonGateway,
  place: PythonEnvironment,
  request: PythonRequest,
  conversation: Conversation,
): Promise<PythonRun> {
  const limits = limitsFor(request, gateway.view.settings);
  if (Buffer.byteLength(request.code) > MAX_CODE_BYTES)
    throw new PortolanError(ErrorCode.LimitExceeded, `the code is larger than ${MAX_CODE_BYTES} bytes`, {
      hint: 'split it into several programs; variables stay for the next one',
    });
  // No progress while servers are read: progress may only rise, and the program's own starts at zero.
  const { progress: _, ...quiet } = conversation;
  const servers = await serversInReach(gateway, request.servers, quiet);
  checkSize(servers);
  const session = request.session === false ? undefined : conversation.stateKey;
  const client = place.keyOf(conversation.client);
  const job = { code: request.code, servers, client, ...(session !== undefined && { session: place.keyOf(session) }) };
  const calls = new Calls(gateway, place, servers, conversation);
  const stopProgress = reportProgress(conversation, limits, calls);
  try {
    const outcome = await place.sandbox.run(job, calls.answer, limits, conversation.signal);
    return answerTo(outcome, session !== undefined && conversation.lostState === true && place.isFirst(session));
  } finally {
    stopProgress();
  }
}

function limitsFor({ timeoutSeconds }: PythonRequest, { sandbox, limits }: Settings): Limits {
  const { timeoutMs, maxTimeoutMs, maxMemoryBytes, maxOutputBytes, maxFileBytes, maxCalls } = sandbox;
  const wanted = timeoutSeconds === undefined ? Math.min(timeoutMs, maxTimeoutMs) : Math.ceil(timeoutSeconds * 1000);
  if (wanted > maxTimeoutMs)
    throw new PortolanError(ErrorCode.ToolValidationError, `timeout must be at most ${maxTimeoutMs / 1000} seconds`, {
      hint: 'sandbox.maxTimeoutMs in the settings sets the limit',
    });
  return {
    ...DEFAULT_LIMITS,
    timeoutMs: wanted,
    memoryBytes: maxMemoryBytes,
    outputBytes: maxOutputBytes,
    fileBytes: maxFileBytes,
    hostCalls: maxCalls,
    hostCallBytes: Math.min(DEFAULT_LIMITS.hostCallBytes, limits.maxResultBytes),
  };
}

function checkSize(servers: readonly JobServer[]): void {
  let bytes = 0;
  for (const server of servers) bytes += Buffer.byteLength(JSON.stringify(server));
  if (bytes <= MAX_JOB_BYTES) return;
  throw new PortolanError(
    ErrorCode.LimitExceeded,
    `the tool lists of the program's servers are larger than ${MAX_JOB_BYTES} bytes`,
    {
      hint: 'pass only the servers that the program needs in servers',
    },
  );
}

/** Sends a progress notification every second; the returned function stops it, because none may follow the response. */
function reportProgress({ progress }: Conversation, { timeoutMs }: Limits, calls: Calls): () => void {
  if (!progress) return () => undefined;
  const started = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    const message = `the program is running; calls so far: ${calls.count}`;
    progress({ progress: seconds, total: Math.max(timeoutMs / 1000, seconds), message });
  }, PROGRESS_MS);
  return () => clearInterval(timer);
}

/** The calls of one program to the gateway. The sandbox rejects servers outside the job before they get here. */
class Calls {
  readonly #gateway: PythonGateway;
  readonly #place: PythonEnvironment;
  readonly #servers: readonly JobServer[];
  readonly #conversation: Conversation;
  /** Servers that the user declined to approve, so that a program cannot ask again and again. */
  readonly #refused = new Set<string>();
  count = 0;

  constructor(
    gateway: PythonGateway,
    place: PythonEnvironment,
    servers: readonly JobServer[],
    { progress: _, acceptsInputRequests: __, retryInput: ___, ...conversation }: Conversation,
  ) {
    this.#gateway = gateway;
    this.#place = place;
    this.#servers = servers;
    // The program counts as one call of the client, however many tools it calls.
    this.#conversation = { ...conversation, elicitations: conversation.elicitations ?? { count: 0 } };
  }

  answer: Capability = async (request, signal) => {
    if (request.kind === 'tool') {
      this.count += 1;
      return new WrittenResult(await this.#call(request, signal));
    }
    const { stateFolder, project } = this.#place;
    return runtimeFunction(request, this.#servers, this.#gateway, projectMemories(stateFolder, project));
  };

  async #call({ server, tool, arguments: given }: Extract<HostCall, { kind: 'tool' }>, signal: AbortSignal) {
    const isListed = !this.#servers.find(({ name }) => name === server)?.unlisted;
    try {
      return await this.#execute(server, tool, given, signal);
    } catch (error) {
      const code = error instanceof PortolanError ? error.code : undefined;
      if (code === ErrorCode.ServerNotApproved) this.#refused.add(server);
      if (code !== ErrorCode.ToolNotFound || isListed) throw error;
      // The tools are known now, and the code may have used an alias.
      const names = (await this.#gateway.toolsOf(server, this.#conversation)).map(({ name }) => name);
      const meant = [...pythonAliases(names)].find(([, alias]) => alias === tool)?.[0];
      if (meant === undefined || meant === tool) throw error;
      return this.#execute(server, meant, given, signal);
    }
  }

  async #execute(server: string, tool: string, given: unknown, signal: AbortSignal): Promise<Buffer> {
    const { capabilities, ...rest } = this.#conversation;
    const mayAsk = capabilities && !this.#refused.has(server);
    const conversation = { ...rest, signal, ...(mayAsk && { capabilities }) };
    const { json, value } = await this.#gateway.executeTool(server, tool, given, conversation, { via: 'run_python' });
    return Buffer.isBuffer(json) ? json : Buffer.from(json ?? JSON.stringify(value));
  }
}
