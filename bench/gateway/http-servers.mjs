// Many MCP servers in this process, each at its own path, because five hundred processes would overload the machine.
import { once } from 'node:events';
import { createServer } from 'node:http';

const TOOLS = 6;
const VERBS = ['create', 'list', 'update', 'delete', 'search', 'export'];
const NOUNS = [
  ...['issue', 'invoice', 'contact', 'message', 'calendar event', 'deployment', 'database row', 'file', 'picture'],
  ...['ticket', 'report', 'pull request', 'payment', 'subscription', 'page', 'translation', 'route', 'sensor'],
];

/** Listens on loopback; gives the entries of `count` servers by name, and a function that ends them. */
export async function listen(count) {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const { id, method, params } = JSON.parse(text);
      if (id === undefined) {
        response.writeHead(202).end();
        return;
      }
      const result = answer(Number(request.url.slice('/s'.length)), method, params);
      const rest = result ? { result } : { error: { code: -32601, message: 'no such method' } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...rest }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const entry = (n) => [`http-${n}`, { url: `http://127.0.0.1:${port}/s${n}` }];
  return {
    servers: Object.fromEntries(Array.from({ length: count }, (_, n) => entry(n))),
    entry,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(n, method, params) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: `http-${n}`, version: '1.0.0' },
      };
    case 'tools/list':
      return { tools: VERBS.slice(0, TOOLS).map((verb, at) => tool(verb, NOUNS[(n + at * 5) % NOUNS.length], n)) };
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

function tool(verb, noun, n) {
  const properties = { id: { type: 'string', description: `The ${noun}` }, limit: { type: 'integer' } };
  return {
    name: `${verb}_${noun.replaceAll(' ', '_')}`,
    description: `${verb} one ${noun} or several in the account of customer ${n}.`,
    inputSchema: { type: 'object', properties, required: ['id'] },
  };
}
