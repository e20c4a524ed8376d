import { connect } from 'node:net';

/** An HTTP response, not decoded. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

const RAW_LIMIT_MS = 10_000;

/** Sends these bytes, which no HTTP library would send, and reads until the server closes the connection. */
export function sendRaw(port: number, lines: readonly string[], body = ''): Promise<RawAnswer> {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const text = `${[...lines, ...length, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setTimeout(RAW_LIMIT_MS, () => socket.destroy(new Error(`the response to ${lines[0]} has no end`)));
    socket.on('error', reject);
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
      // A chunked stream of events is complete here, even if the connection stays open.
      if (answer.endsWith('\r\n0\r\n\r\n')) socket.end();
    });
    socket.on('close', () => {
      const end = answer.indexOf('\r\n\r\n');
      const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
      if (status === undefined) return reject(new Error(`no HTTP response: ${answer}`));
      return resolve({ status: Number(status), head: answer.slice(0, end).toLowerCase(), body: answer.slice(end + 4) });
    });
  });
}

export const JSON_HEADERS = ['Content-Type: application/json', 'Accept: application/json, text/event-stream'];

/** The first message of a client of an older revision. */
export const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

const META = 'io.modelcontextprotocol/';

/** One call of the stateless revision. */
export function statelessCall(server: string, tool: string, given: object = {}, id: string | number = 1) {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: {
      name: 'execute_tool',
      arguments: { server, tool, arguments: given },
      _meta: {
        [`${META}protocolVersion`]: '2026-07-28',
        [`${META}clientCapabilities`]: {},
        [`${META}clientInfo`]: { name: 'raw', version: '1' },
      },
    },
  });
  const headers = [
    ...JSON_HEADERS,
    'Mcp-Protocol-Version: 2026-07-28',
    'Mcp-Method: tools/call',
    'Mcp-Name: execute_tool',
  ];
  return { headers, body };
}
