import { PortolanError } from '../base/index.js';
import type { SearchAnswer, ServerList, ToolDetails, ToolList } from '../gateway/index.js';
import type { Progress } from '../model/index.js';
import { type GatewayOptions, startGateway } from './start-gateway.js';

export interface ExecuteOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (step: Progress) => void;
}

/** What a call gave: the server's own result, or why there is none. */
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

/** The gateway for a program. Whoever opens it closes it. */
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
  close(): Promise<void>;
}

/** Finds every server and opens one small door to all of them. */
export async function openGateway(options: GatewayOptions = {}): Promise<OpenGateway> {
  const running = await startGateway(options);
  const { gateway } = running;
  const close = async () => running[Symbol.asyncDispose]();
  return {
    listServers: () => gateway.listServers(),
    searchTools: (query, more) => gateway.searchTools(query, more),
    listTools: (server, more) => gateway.listTools(server, more),
    getToolDetails: (server, tool) => gateway.getToolDetails(server, tool),
    executeTool: async (server, tool, toolArguments = {}, { signal, onProgress } = {}) => {
      try {
        const conversation = {
          client: 'library',
          signal: signal ?? new AbortController().signal,
          ...(onProgress && { progress: onProgress }),
        };
        const { value } = await gateway.executeTool(server, tool, toolArguments, conversation);
        return { success: true, result: value };
      } catch (error) {
        if (!(error instanceof PortolanError)) throw error;
        return { success: false, error: failureOf(error, server, tool) };
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The error as everyone is given it, by whatever door they came. */
export function failureOf({ code, message, hint }: PortolanError, server: string, tool: string) {
  return { code, message, server, tool, ...(hint !== undefined && { hint }) };
}
