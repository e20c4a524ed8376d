import { ErrorCode, PortolanError } from '../base/index.js';
import type { PythonAnswer, SearchAnswer, ServerList, ToolDetails, ToolList } from '../gateway/index.js';
import type { Progress } from '../model/index.js';
import { type GatewayOptions, startGateway } from './start-gateway.js';

export interface ExecuteOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (step: Progress) => void;
}

/** The result of a call: the server's own result, or the error. */
export type ExecuteAnswer =
  | { readonly success: true; readonly result: Readonly<Record<string, unknown>> }
  | {
      readonly success: false;
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly server: string;
        readonly tool: string;
        readonly hint?: string;
      };
    };

export interface PythonOptions extends ExecuteOptions {
  /** The servers that the program can call; by default every approved server. */
  readonly servers?: readonly string[];
  /** In seconds. */
  readonly timeout?: number;
  /** False: the program neither sees nor leaves variables of this session. */
  readonly session?: boolean;
}

/** The result of a program, or the error that prevented its start. `success`: it ended without an exception. */
export type PythonOutcome =
  | { readonly success: boolean; readonly answer: PythonAnswer }
  | {
      readonly success: false;
      readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
    };

/** The gateway as a library. Its opener must close it. */
export interface OpenGateway extends AsyncDisposable {
  listServers(): Promise<ServerList>;
  searchTools(
    query: string | readonly string[],
    options?: { readonly server?: string; readonly limit?: number },
  ): Promise<SearchAnswer>;
  listTools(server: string, options?: { readonly includeDisabled?: boolean }): Promise<ToolList>;
  getToolDetails(server: string, tool: string): Promise<ToolDetails>;
  executeTool(
    server: string,
    tool: string,
    toolArguments?: Readonly<Record<string, unknown>>,
    options?: ExecuteOptions,
  ): Promise<ExecuteAnswer>;
  /** Runs Python over the tools in a sandbox; variables persist for the next program. */
  runPython(code: string, options?: PythonOptions): Promise<PythonOutcome>;
  close(): Promise<void>;
}

/** Finds every server and opens one gateway to all of them. */
export async function openGateway(options: GatewayOptions = {}): Promise<OpenGateway> {
  const running = await startGateway(options);
  const { gateway } = running;
  const close = async () => running[Symbol.asyncDispose]();
  return {
    listServers: () => gateway.listServers(),
    searchTools: async (query, more) => {
      for (const one of Array.isArray(query) ? query : [query]) checkTexts({ query: one });
      return gateway.searchTools(query, more);
    },
    listTools: async (server, more) => {
      checkTexts({ server });
      return gateway.listTools(server, more);
    },
    getToolDetails: async (server, tool) => {
      checkTexts({ server, tool });
      return gateway.getToolDetails(server, tool);
    },
    executeTool: async (server, tool, toolArguments = {}, { signal, onProgress } = {}) => {
      try {
        checkTexts({ server, tool });
        const conversation = {
          client: 'library',
          signal: signal ?? new AbortController().signal,
          ...(onProgress && { progress: onProgress }),
        };
        const { value } = await gateway.executeTool(server, tool, toolArguments, conversation);
        return { success: true, result: value };
      } catch (error) {
        if (!(error instanceof PortolanError)) throw error;
        return { success: false, error: failureOf(error, String(server), String(tool)) };
      }
    },
    runPython: async (code, { servers, timeout, session = true, signal, onProgress } = {}) => {
      try {
        const request = {
          ...{ code, session },
          ...(servers && { servers }),
          ...(timeout !== undefined && { timeoutSeconds: timeout }),
        };
        const { answer } = await gateway.runPython(request, {
          client: 'library',
          stateKey: 'library',
          signal: signal ?? new AbortController().signal,
          ...(onProgress && { progress: onProgress }),
        });
        return { success: answer.error === undefined, answer };
      } catch (error) {
        if (!(error instanceof PortolanError)) throw error;
        const { code: why, message, hint } = error;
        return { success: false, error: { code: why, message, ...(hint !== undefined && { hint }) } };
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Callers in plain JavaScript may pass any type. */
function checkTexts(given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string') continue;
    const what = value === undefined ? 'is missing' : 'must be a string';
    throw new PortolanError(ErrorCode.ToolValidationError, `${name} ${what}`, {
      hint: 'pass server names, tool names and queries as strings',
    });
  }
}

/** The error in the same form as over MCP. */
function failureOf({ code, message, hint }: PortolanError, server: string, tool: string) {
  return { code, message, server, tool, ...(hint !== undefined && { hint }) };
}
