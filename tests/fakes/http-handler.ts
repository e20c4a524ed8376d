import { afterEach } from 'vitest';
import { silentLog } from '../../src/base/index.js';
import { RpcError } from '../../src/rpc/index.js';
import { type HttpHandler, openHttpHandler } from '../../src/serve/http/http-handler.js';
import { ServerQuestions } from '../../src/serve/session/server-questions.js';
import type { SurfaceRequest } from '../../src/serve/surfaces/surface.js';
import { fakeSurface } from './surface.js';

export type Json = Record<string, unknown>;
/** Disposed after each test. */
export const disposables: (Disposable | HttpHandler)[] = [];
afterEach(() => {
  for (const one of disposables.splice(0)) one[Symbol.dispose]();
});

/** The signals of running calls to `wait`, and a function that finishes them. */
interface Waits {
  readonly signals: AbortSignal[];
  go(): void;
}

const LOCATED = {
  name: 'echo',
  inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
};

export function makeDependencies() {
  const waits: Waits & { waiting: (() => void)[] } = {
    signals: [],
    waiting: [],
    go: () => {
      for (const release of waits.waiting.splice(0)) release();
    },
  };
  const questions = new ServerQuestions();
  disposables.push(questions);
  const call = async ({ params, conversation }: SurfaceRequest) => {
    switch (params.name) {
      case 'echo':
        return { json: JSON.stringify({ content: [{ type: 'text', text: String(params.arguments) }] }) };
      case 'steps':
        for (const progress of [1, 2, 3]) conversation.progress?.({ progress });
        return { value: { content: [] } };
      case 'ask':
        return { value: { asked: await conversation.ask?.('elicitation/create', { message: 'who?' }) } };
      case 'who':
        return { value: { caller: conversation.caller } };
      case 'wait':
        waits.signals.push(conversation.signal);
        await new Promise<void>((resolve) => {
          waits.waiting.push(resolve);
          conversation.signal.addEventListener('abort', () => resolve());
        });
        return { value: { content: [] } };
      default:
        throw new RpcError(Number(params.name), 'as you wish');
    }
  };
  const surface = {
    ...fakeSurface({ 'tools/call': call, 'tools/list': async () => ({ value: { tools: [LOCATED] } }) }),
    inputSchemaOf: (name: string) => (name === LOCATED.name ? LOCATED.inputSchema : undefined),
  };
  return { session: { surface, questions, version: '9', log: silentLog }, waits };
}

export async function handler(token?: string) {
  const { session, waits } = makeDependencies();
  const made = await openHttpHandler({
    session,
    limits: () => ({ maxLineBytes: 10_000, maxDepth: 20 }),
    hosts: () => ({ bound: new Set(['localhost']), port: 7420, allowed: [] }),
    ...(token !== undefined && { token }),
  });
  disposables.push(made);
  return { handle: made.handle, made, waits };
}

export const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export function request(
  method: string,
  path: string,
  headers: Json = {},
  body?: unknown,
  signal?: AbortSignal,
): Request {
  return new Request(`http://localhost${path}`, {
    method,
    headers: { host: 'localhost:7420', ...headers } as Record<string, string>,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

export function modern(
  method: string,
  params: Json = {},
  more: { headers?: Json; meta?: Json; signal?: AbortSignal } = {},
) {
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  const headers = { ...JSON_HEADERS, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name };
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...ENVELOPE, ...more.meta } } };
  return request('POST', '/mcp', { ...headers, ...more.headers }, body, more.signal);
}

export function legacy(id: number | undefined, method: string, params: Json = {}, headers: Json = {}): Request {
  const body = { jsonrpc: '2.0', ...(id !== undefined && { id }), method, params };
  return request('POST', '/mcp', { ...JSON_HEADERS, ...headers }, body);
}

export const INITIALIZE_PARAMS = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'c', version: '1' },
};

export async function openSession(handle: HttpHandler['handle']): Promise<Json> {
  const response = await handle(legacy(0, 'initialize', INITIALIZE_PARAMS));
  await response.text();
  return { 'mcp-session-id': response.headers.get('mcp-session-id') };
}

/** All messages of an event stream that ends. */
export const events = async (response: Response): Promise<Json[]> =>
  (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)));

/** The next message of an open event stream. */
export async function nextEvent(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Json> {
  const { value } = await reader.read();
  const [, data = ''] = /^data: (.*)$/m.exec(Buffer.from(value ?? []).toString()) ?? [];
  return JSON.parse(data);
}

export const readerOf = (response: Response): ReadableStreamDefaultReader<Uint8Array> => {
  if (!response.body) throw new Error('the response has no body');
  return response.body.getReader();
};
