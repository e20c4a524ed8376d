// A worker checks results over 12 MB, because parsing 100 MB would block the event loop for up to a second (guarantee G6).
import { type Incoming, parseLine, RpcCode, resultFrame } from './message.js';

/** Parsing a shorter line takes about as long as starting a worker. */
export const MAX_AT_ONCE_BYTES = 12 * 1024 * 1024;

/** The facts that the worker found about a result. */
type Verdict =
  | { readonly kind: 'deep' }
  | { readonly kind: 'broken' }
  /** `members` of an object, in their order; a member without a value is large or an object. */
  | { readonly kind: 'fine'; readonly isOneLine: boolean; readonly members?: readonly Member[] };
type Member = readonly [key: string, value?: unknown];

interface Task {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly maxDepth: number;
}

/**
 * Reads a line that is too long to parse on the event loop. A worker checks that the result is valid JSON; here it stays bytes and
 * is parsed only when a large member is read. The memory of `line` is transferred: the caller must not use it afterwards.
 */
export async function readLargeLine(line: Buffer, maxDepth: number): Promise<readonly Incoming[]> {
  const frame = line.length > MAX_AT_ONCE_BYTES ? resultFrame(line) : undefined;
  // The whole memory is transferred to the worker, so nothing but this line may be in it.
  if (!frame || line.buffer.byteLength > line.length + 1) return parseLine(line, maxDepth);
  const { id, from, to } = frame;
  const { byteOffset, length } = line;
  let verdict: Verdict;
  let memory: ArrayBuffer;
  try {
    // The message around the result is one more level.
    const task = { bytes: line.subarray(from, to) as Buffer<ArrayBuffer>, maxDepth: maxDepth - 1 };
    ({ verdict, memory } = await inWorker(task));
  } catch {
    return [unread(id, 'not enough memory to read the result')];
  }
  if (verdict.kind === 'deep') return [unread(id, `nested deeper than ${maxDepth}`)];
  const back = Buffer.from(memory, byteOffset, length);
  // Not a plain result: parse it like a short line.
  if (verdict.kind === 'broken' || !verdict.members) return parseLine(back, maxDepth);
  const bytes = back.subarray(from, to);
  const result = lazyObject(bytes, verdict.members);
  return [{ kind: 'result', id, result, ...(verdict.isOneLine && { json: bytes }) }];
}

function unread(id: number, message: string): Incoming {
  return { kind: 'invalid', id, fault: { code: RpcCode.invalidRequest, message }, isAnswer: true };
}

function lazyObject(bytes: Buffer, members: readonly Member[]): Record<string, unknown> {
  let whole: Record<string, unknown> | undefined;
  const read = (key: string) => {
    whole ??= JSON.parse(bytes.toString()) as Record<string, unknown>;
    return whole[key];
  };
  const object: Record<string, unknown> = {};
  for (const [key, ...known] of members) {
    const [value] = known;
    const content = known.length > 0 ? { value, writable: true } : { get: () => read(key) };
    Object.defineProperty(object, key, { ...content, enumerable: true, configurable: true });
  }
  return object;
}

/** Transfers the memory to a worker and back: nothing is copied. */
async function inWorker(task: Task): Promise<{ readonly verdict: Verdict; readonly memory: ArrayBuffer }> {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const worker = new Worker(`(${judge})()`, { eval: true, env: {}, execArgv: [] });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the worker exited without a result')));
      worker.once('message', resolve);
      worker.postMessage(task, [task.bytes.buffer]);
    });
  } finally {
    void worker.terminate();
  }
}

/** The worker's program. It is passed as text, so it must not use anything from this module. */
function judge(): void {
  const { parentPort } = process.getBuiltinModule('node:worker_threads');
  const { isUtf8 } = process.getBuiltinModule('node:buffer');
  const [quote, backslash] = [0x22, 0x5c];
  const maxWordCharacters = 1_024;

  const isDeeper = (json: Buffer, limit: number): boolean => {
    let depth = 0;
    for (let at = 0; at < json.length; at += 1) {
      const byte = json[at];
      if (byte === quote) {
        for (at = json.indexOf(quote, at + 1); at >= 0; at = json.indexOf(quote, at + 1)) {
          let slashes = 0;
          while (json[at - 1 - slashes] === backslash) slashes += 1;
          if (slashes % 2 === 0) break;
        }
        if (at < 0) return false; // an unterminated string: parsing will fail
      } else if (byte === 0x7b || byte === 0x5b) {
        depth += 1;
        if (depth > limit) return true;
      } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    }
    return false;
  };

  const judged = (json: Buffer, maxDepth: number): Verdict => {
    if (isDeeper(json, maxDepth)) return { kind: 'deep' };
    if (!isUtf8(json)) return { kind: 'broken' };
    const text = json.toString();
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return { kind: 'broken' };
    }
    // The line ends of base/json/json-line.ts.
    const isOneLine = !(text.includes('\u2028') || text.includes('\u2029') || text.includes('\r'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'fine', isOneLine };
    const isSimple = (one: unknown) =>
      typeof one === 'string' ? one.length <= maxWordCharacters : typeof one !== 'object' || one === null;
    const members = Object.entries(value).map(([key, one]): Member => (isSimple(one) ? [key, one] : [key]));
    return { kind: 'fine', isOneLine, members };
  };

  parentPort?.once('message', ({ bytes, maxDepth }: Task) => {
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    parentPort.postMessage({ verdict: judged(json, maxDepth), memory: bytes.buffer }, [bytes.buffer]);
  });
}
