import { isObject } from '../../base/index.js';
import type { Id, Incoming, Params } from '../../rpc/index.js';
import {
  type GuestError,
  type GuestValue,
  type HostCall,
  type JobServer,
  RUNTIME_NAMES,
  type SavedFile,
  type Truncated,
} from '../engine.js';

/** A valid message of the guest. Any other message was forged by the code that runs in it. */
export type GuestMessage =
  | { readonly kind: 'ready'; readonly python: string }
  | { readonly kind: 'printed'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly kind: 'call'; readonly id: Id; readonly request: HostCall }
  /** A call that is not permitted, with the reason that the code receives. */
  | { readonly kind: 'refused'; readonly id: Id; readonly message: string }
  | { readonly kind: 'cancel'; readonly id: Id }
  | { readonly kind: 'timer'; readonly id: Id; readonly ms: number }
  | { readonly kind: 'done'; readonly run: number; readonly done: Done }
  | { readonly kind: 'nonsense'; readonly why: string };

export interface Done {
  readonly value?: GuestValue;
  readonly error?: GuestError;
  readonly files: readonly SavedFile[];
  readonly truncated: readonly Truncated[];
}

const MAX_FILES = 100;
const MAX_PATH_CHARACTERS = 1_024;
const MAX_TYPE_CHARACTERS = 256;
const MAX_TEXT_CHARACTERS = 8 * 1024;
const MAX_NAME_CHARACTERS = 1_024;
const TRUNCATED: readonly Truncated[] = ['stdout', 'stderr', 'result', 'files'];

/** Parses one line of a guest. Calls are limited to the job's servers and tools and get their original names. */
export function readGuestMessage(message: Incoming, servers: readonly JobServer[]): GuestMessage {
  switch (message.kind) {
    case 'request':
      return readRequest(message.id, message.method, message.params ?? {}, servers);
    case 'notification':
      return readNotification(message.method, message.params ?? {});
    case 'result':
    case 'fault':
      return { kind: 'nonsense', why: 'a response that matches no request' };
    case 'invalid':
      return { kind: 'nonsense', why: message.fault.message };
  }
}

type Given = NonNullable<Params>;

function readRequest(id: Id, method: string, params: Given, servers: readonly JobServer[]): GuestMessage {
  if (typeof id !== 'number' || !Number.isSafeInteger(id))
    return { kind: 'nonsense', why: 'an id that is not an integer' };
  switch (method) {
    case 'tool':
      return readToolCall(id, params, servers);
    case 'runtime':
      return readRuntimeCall(id, params);
    case 'timer': {
      const { ms } = params;
      return typeof ms === 'number' && ms >= 0
        ? { kind: 'timer', id, ms }
        : { kind: 'nonsense', why: 'an invalid timer' };
    }
    default:
      return { kind: 'nonsense', why: 'an unknown request' };
  }
}

function readToolCall(id: Id, params: Given, servers: readonly JobServer[]): GuestMessage {
  const { server: wanted, tool: name, arguments: given } = params;
  if (!isName(wanted) || !isName(name) || !isObject(given)) return { kind: 'nonsense', why: 'a malformed call' };
  const server = servers.find((one) => one.name === wanted) ?? servers.find((one) => one.alias === wanted);
  if (!server) return { kind: 'refused', id, message: `server ${wanted} is not available to this code` };
  const known = [...server.tools, ...(server.refused ?? [])];
  const tool = known.find((one) => one.name === name) ?? known.find((one) => one.alias === name);
  if (!tool && !server.unlisted)
    return { kind: 'refused', id, message: `server ${server.name} has no tool named ${name}` };
  const request = { kind: 'tool', server: server.name, tool: tool?.name ?? name, arguments: given } as const;
  return { kind: 'call', id, request };
}

function readRuntimeCall(id: Id, params: Given): GuestMessage {
  const { name: wanted, arguments: given } = params;
  const name = RUNTIME_NAMES.find((one) => one === wanted);
  if (!name || !isObject(given)) return { kind: 'nonsense', why: 'a malformed runtime call' };
  return { kind: 'call', id, request: { kind: 'runtime', name, arguments: given } };
}

function readNotification(method: string, params: Given): GuestMessage {
  switch (method) {
    case 'ready':
      return { kind: 'ready', python: cut(params.python, MAX_TYPE_CHARACTERS) };
    case 'out':
    case 'err': {
      const { text } = params;
      if (typeof text !== 'string') return { kind: 'nonsense', why: 'printed output that is not a string' };
      return { kind: 'printed', stream: method === 'out' ? 'stdout' : 'stderr', text };
    }
    case 'cancel': {
      const { id } = params;
      return typeof id === 'number'
        ? { kind: 'cancel', id }
        : { kind: 'nonsense', why: 'a cancellation without an id' };
    }
    case 'done':
      return readDone(params);
    default:
      return { kind: 'nonsense', why: 'an unknown notification' };
  }
}

function readDone(params: Given): GuestMessage {
  const { run, result, error, files, truncated } = params;
  if (typeof run !== 'number') return { kind: 'nonsense', why: 'the end of an unknown run' };
  const value = isObject(result) ? readValue(result) : undefined;
  const fault = isObject(error) ? readError(error) : undefined;
  return {
    kind: 'done',
    run,
    done: {
      ...(value && { value }),
      ...(fault && { error: fault }),
      files: Array.isArray(files) ? files.slice(0, MAX_FILES).flatMap(readFile) : [],
      truncated: Array.isArray(truncated) ? TRUNCATED.filter((one) => truncated.includes(one)) : [],
    },
  };
}

function readValue(result: Readonly<Record<string, unknown>>): GuestValue | undefined {
  if (typeof result.text !== 'string') return undefined;
  return { text: result.text, ...('json' in result && { json: result.json }) };
}

function readError(error: Readonly<Record<string, unknown>>): GuestError {
  const { line, code, traceback } = error;
  return {
    type: cut(error.type, MAX_TYPE_CHARACTERS) || 'Exception',
    message: cut(error.message, MAX_TEXT_CHARACTERS),
    ...(typeof line === 'number' && Number.isSafeInteger(line) && line > 0 && { line }),
    ...(typeof code === 'string' && { code: cut(code, MAX_TYPE_CHARACTERS) }),
    ...(typeof traceback === 'string' && { traceback: cut(traceback, MAX_TEXT_CHARACTERS) }),
  };
}

/** A path that leaves the working directory is dropped. */
function readFile(file: unknown): SavedFile[] {
  if (!isObject(file)) return [];
  const { path, bytes, text, base64 } = file;
  if (typeof path !== 'string' || path === '' || path.length > MAX_PATH_CHARACTERS || /[\0\\]/.test(path)) return [];
  if (path.startsWith('/') || path.split('/').includes('..')) return [];
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0) return [];
  if (typeof text === 'string') return [{ path, bytes, text }];
  if (typeof base64 === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return [{ path, bytes, base64 }];
  return [{ path, bytes }];
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_NAME_CHARACTERS;
}

function cut(value: unknown, characters: number): string {
  if (typeof value !== 'string') return '';
  return value.length <= characters ? value : `${value.slice(0, characters)}…`;
}
