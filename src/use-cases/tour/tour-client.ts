import { ErrorCode, isObject, PortolanError } from '../../base/index.js';

/** The time limit of a request; the first start of a Python engine may take seconds. */
const ANSWER_LIMIT_MS = 60_000;
const MAX_STDERR_CHARACTERS = 2_000;

/** The part of a tool result that the tour needs. */
interface TourResult {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** An ordinary MCP client, using the SDK, connected over stdio to a gateway that it started. */
export interface TourClient extends AsyncDisposable {
  tools(): Promise<readonly string[]>;
  call(tool: string, given?: Readonly<Record<string, unknown>>): Promise<TourResult>;
}

export interface TourClientOptions {
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly signal: AbortSignal;
}

/** Starts `portolan serve` as a client does, and initializes. */
export async function openTourClient({ program, cwd, env, version, signal }: TourClientOptions): Promise<TourClient> {
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const known = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'serve'],
    ...{ cwd, env: Object.fromEntries(known), stderr: 'pipe' as const },
  });
  let stderrText = '';
  transport.stderr?.on('data', (chunk: unknown) => {
    stderrText = `${stderrText}${String(chunk)}`.slice(-MAX_STDERR_CHARACTERS);
  });
  const client = new Client({ name: 'portolan-tour', version });
  const limits = { timeout: ANSWER_LIMIT_MS, signal };
  const asked = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (signal.aborted) throw new PortolanError(ErrorCode.Cancelled, 'the tour was cancelled', { cause: error });
      const why = error instanceof Error ? error.message : String(error);
      throw new PortolanError(ErrorCode.ConnectionError, `the gateway did not answer: ${why}`, {
        cause: error,
        hint: stderrText.trim() || 'PORTOLAN_LOG=debug shows details',
      });
    }
  };
  const close = async () => client.close();
  try {
    await asked(client.connect(transport, limits));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    tools: async () => (await asked(client.listTools(undefined, limits))).tools.map(({ name }) => name),
    call: async (name, given = {}) =>
      toTourResult(await asked(client.callTool({ name, arguments: { ...given } }, limits))),
    [Symbol.asyncDispose]: close,
  };
}

/** The structured value, or the text parsed as JSON if a tool gives only text. */
function toTourResult({ content, structuredContent, isError }: Readonly<Record<string, unknown>>): TourResult {
  const [block] = Array.isArray(content) ? content.filter(isObject) : [];
  const text = typeof block?.text === 'string' ? block.text : '';
  const data = isObject(structuredContent) ? structuredContent : parsed(text);
  return { text, data, isError: isError === true };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
