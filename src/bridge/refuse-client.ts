import type { Readable, Writable } from 'node:stream';
import { isObject } from '../base/index.js';
import { LineSplitter, type RpcFault, readId } from '../rpc/index.js';
import { MAX_LINE_BYTES, readClientLine } from './client-line.js';
import { ClientOutput } from './client-output.js';

/** Clients send their first request immediately. If none arrives in this time, the client only shows stderr. */
const FIRST_REQUEST_MS = 1_000;

export interface RefusedClient {
  readonly input: Readable;
  readonly output: Writable;
  readonly fault: RpcFault;
  readonly ending: AbortSignal;
}

/** Fails the first request of a client with the reason why it is not served, so that the client can show it. */
export function refuseClient({ input, output, fault, ending }: RefusedClient): Promise<void> {
  return new Promise((resolve) => {
    const client = new ClientOutput(output);
    const done = () => {
      clearTimeout(limit);
      ending.removeEventListener('abort', done);
      resolve();
    };
    const limit = setTimeout(done, FIRST_REQUEST_MS);
    const splitter = new LineSplitter(() => MAX_LINE_BYTES, {
      line: (bytes) => {
        const read = readClientLine(bytes);
        const messages = read.kind === 'messages' ? read.messages : [];
        const ids = messages.map(({ message }) => (isObject(message) && 'method' in message ? message.id : undefined));
        const asked = ids.map(readId).filter((id) => id !== undefined);
        for (const id of asked) client.refuse(JSON.stringify(id), fault);
        if (asked.length > 0) done();
      },
      overlong: done,
    });
    input.on('data', (chunk: Buffer) => splitter.push(chunk));
    input.on('end', () => {
      splitter.end();
      done();
    });
    for (const stream of [input, output]) stream.on('error', done);
    ending.addEventListener('abort', done, { once: true });
  });
}
