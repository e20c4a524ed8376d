import { connect } from 'node:net';
import { type Exit, start, until, type Variables } from './client-over-stdio.js';
import type { Machine } from './machine.js';

/** The built program, listening on its own port. */
export interface HttpGateway extends AsyncDisposable {
  /** The URL of the MCP endpoint. */
  readonly url: string;
  readonly port: number;
  readonly exited: Promise<Exit>;
  stderr(): string;
  signal(signal: NodeJS.Signals): void;
}

interface Options {
  readonly address?: string;
  readonly args?: readonly string[];
  readonly env?: Variables;
}

export async function serveOverHttp(
  machine: Machine,
  { address = '127.0.0.1:0', args = [], env = {} }: Options = {},
): Promise<HttpGateway> {
  const program = start(machine, { args: ['serve', '--http', address, ...args], env });
  let isOver = false;
  void program.exited.then(() => {
    isOver = true;
  });
  const line = /^portolan listens on (\S+:(\d+)\/mcp)$/m;
  await until(
    () => program.stderr,
    (stderr) => isOver || line.test(stderr),
  );
  const [, url = '', port = ''] = line.exec(program.stderr) ?? [];
  if (isOver) throw new Error(`the gateway does not listen: ${program.stderr}`);
  return {
    url,
    port: Number(port),
    exited: program.exited,
    stderr: () => program.stderr,
    signal: (signal) => program.signal(signal),
    [Symbol.asyncDispose]: async () => {
      program.signal('SIGTERM');
      await program[Symbol.asyncDispose]();
    },
  };
}

const RAW_LIMIT_MS = 10_000;

/** Sends these bytes, which no HTTP library would send, and returns the status of the response. */
export function statusOfRaw(port: number, lines: readonly string[], body = '', host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`));
    let answer = '';
    socket.setTimeout(RAW_LIMIT_MS, () => socket.destroy(new Error(`no response to ${lines[0]}`)));
    socket.on('error', reject);
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
      const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
      if (status === undefined) return;
      resolve(Number(status));
      socket.destroy();
    });
    socket.on('end', () => reject(new Error(`the connection closed: ${answer}`)));
  });
}
