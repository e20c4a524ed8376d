import { ErrorCode, isObject, PortolanError, readJson } from '../base/index.js';
import { type DaemonConnection, refusal } from './daemon-connection.js';
import { type FindOptions, findDaemon, START_MS } from './find-daemon.js';
import { parsed } from './parse-bytes.js';

/** A progress notification of the daemon about a request. */
interface RequestProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

interface RequestOptions {
  readonly signal: AbortSignal;
  readonly progress?: ((step: RequestProgress) => void) | undefined;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly progress: RequestOptions['progress'];
}

/** The requests of this process to the daemon, on one connection without a time limit. */
export class DaemonRequests implements Disposable {
  readonly #line: DaemonConnection;
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;

  constructor(line: DaemonConnection) {
    this.#line = line;
    line.listen({
      answer: (id, bytes) => this.#answered(id, bytes),
      message: (bytes) => this.#message(bytes),
      closed: () => {
        for (const { reject } of this.#waiting.values()) reject(lost());
        this.#waiting.clear();
      },
    });
  }

  /** Rejects with `Cancelled` if the signal aborts; the daemon then cancels the request, too. */
  request(method: string, params: object, { signal, progress }: RequestOptions): Promise<unknown> {
    this.#count += 1;
    const id = this.#count;
    const key = String(id);
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.#waiting.delete(key);
        this.#line.tell({ method: 'notifications/cancelled', params: { requestId: id } });
        reject(new PortolanError(ErrorCode.Cancelled, 'the call was cancelled'));
      };
      if (signal.aborted) return cancel();
      signal.addEventListener('abort', cancel, { once: true });
      const over = () => signal.removeEventListener('abort', cancel);
      this.#waiting.set(key, {
        resolve: (result) => {
          over();
          resolve(result);
        },
        reject: (error) => {
          over();
          reject(error);
        },
        progress,
      });
      if (this.#line.stream.destroyed) this.#take(key)?.reject(lost());
      else this.#line.tell({ id, method, params: { ...params, _meta: { progressToken: id } } });
    });
  }

  [Symbol.dispose](): void {
    this.#line.stream.destroy();
  }

  #take(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #answered(id: string, bytes: Buffer): void {
    const waiting = this.#take(id);
    if (!waiting) return;
    const message = readJson(bytes.toString());
    const { result, error } = isObject(message) ? message : {};
    if (error !== undefined) waiting.reject(refusal(error));
    else waiting.resolve(result);
  }

  #message(bytes: Buffer): void {
    const message = parsed(bytes);
    if (!isObject(message)) return;
    const { method, params } = message;
    // The daemon then waits only for the requests that are running.
    if (method === 'notifications/bridge/leaving') this.#line.tell({ method: 'notifications/bridge/left' });
    if (method !== 'notifications/progress' || !isObject(params)) return;
    const { progressToken, progress, total, message: said } = params;
    if (typeof progress !== 'number') return;
    this.#waiting.get(String(progressToken))?.progress?.({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof said === 'string' && { message: said }),
    });
  }
}

function lost(): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, 'the connection to the daemon was lost', {
    hint: 'run the command again; see the log of the daemon with `portolan daemon logs`',
  });
}

/** Connects to the daemon, which is started if `mode` allows it. Undefined if it cannot answer requests of commands. */
export async function openDaemonRequests(options: FindOptions): Promise<DaemonRequests | undefined> {
  const { line, version, answersCommands } = await findDaemon(options, options.mode === 'auto' ? START_MS : 0);
  // Only the same version is certain to understand the requests.
  if (answersCommands && version === options.context.version) return new DaemonRequests(line);
  line.stream.destroy();
  return undefined;
}
