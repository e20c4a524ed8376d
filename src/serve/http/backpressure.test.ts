import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Waiting, writeWithBackpressure } from './backpressure.js';

const MB = 1024 * 1024;
const open: (Server | Socket)[] = [];

afterEach(() => {
  for (const one of open.splice(0)) 'destroy' in one ? one.destroy() : one.closeAllConnections();
});

interface Source {
  readonly body: ReadableStream<Uint8Array>;
  push(chunk: Uint8Array): void;
  end(): void;
  isCancelled: boolean;
}

function source(): Source {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const made: Source = {
    body: new ReadableStream<Uint8Array>({
      start: (given) => {
        controller = given;
      },
      cancel: () => {
        made.isCancelled = true;
      },
    }),
    push: (chunk) => controller?.enqueue(chunk),
    end: () => controller?.close(),
    isCancelled: false,
  };
  return made;
}

/** Serves one request from the source; `poured` settles when the response has ended. */
async function serve(from: Source, all: Waiting, stallMs?: number) {
  let over: () => void = () => undefined;
  const poured = new Promise<void>((resolve) => {
    over = resolve;
  });
  const server = createServer(
    (_, response) => void writeWithBackpressure(from.body, response, all, stallMs).then(over),
  ).listen(0, '127.0.0.1');
  open.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, poured };
}

/** Sends a request and does not read the response. */
async function deafClient(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  open.push(socket);
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return socket;
}

describe('writeWithBackpressure', () => {
  it('writes small and large chunks in order', async () => {
    const [from, all] = [source(), { bytes: 0 }];
    const { port, poured } = await serve(from, all);
    const answer = fetch(`http://127.0.0.1:${port}/`);
    const large = Buffer.alloc(5 * MB, 'b');
    for (const chunk of [Buffer.from('a'), large, Buffer.from('c')]) from.push(chunk);
    from.end();
    const text = await (await answer).text();
    expect([text.length, text[0], text.at(-1)]).toEqual([large.length + 2, 'a', 'c']);
    await poured;
    expect([from.isCancelled, all.bytes]).toEqual([false, 0]);
  });

  it('disconnects a reader that stops, and frees its buffer', async () => {
    const [from, all] = [source(), { bytes: 0 }];
    const { port, poured } = await serve(from, all, 200);
    await deafClient(port);
    from.push(Buffer.alloc(32 * MB));
    await poured;
    expect([from.isCancelled, all.bytes]).toEqual([true, 0]);
  });

  it('disconnects a reader whose buffer is full, long before the stall limit', async () => {
    const [from, all] = [source(), { bytes: 0 }];
    const { port, poured } = await serve(from, all);
    await deafClient(port);
    for (let n = 0; n < 10; n += 1) from.push(Buffer.alloc(10 * MB));
    await poured;
    expect([from.isCancelled, all.bytes]).toEqual([true, 0]);
  });

  it('stops reading the source when the reader leaves', async () => {
    const [from, all] = [source(), { bytes: 0 }];
    const { port, poured } = await serve(from, all);
    const client = await deafClient(port);
    from.push(Buffer.from('hello'));
    await once(client, 'readable');
    client.destroy();
    await poured;
    expect([from.isCancelled, all.bytes]).toEqual([true, 0]);
  });
});
