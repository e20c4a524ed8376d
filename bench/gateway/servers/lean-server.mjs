// The server that is called in every row: it reads a line and answers with the least possible work, so that only the
// way to it is measured. `--catalog <file>` (repeatable) lists the tools of recorded catalogs instead of its own two.
import { readFileSync } from 'node:fs';
import { LineSplitter } from '../line-splitter.mjs';

const catalogs = process.argv.flatMap((word, at) => (word === '--catalog' ? [process.argv[at + 1]] : []));

const OWN_TOOLS = [
  {
    name: 'echo',
    description: 'Gives back the message it was sent.',
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  },
  {
    name: 'bytes',
    description: 'Gives back a text of the length asked for.',
    inputSchema: { type: 'object', properties: { length: { type: 'integer' } }, required: ['length'] },
  },
];
// Its own two tools can be called with a catalog too, because memory is measured after calls.
const tools =
  catalogs.length === 0
    ? OWN_TOOLS
    : [
        ...catalogs.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).tools),
        ...(process.argv.includes('--callable') ? OWN_TOOLS : []),
      ];

// Created once and sliced; otherwise the work of the server would hide that of the gateway in the row of the large
// result.
let filling = '';
function text(length) {
  if (filling.length < length) filling = 'portolan '.repeat(Math.ceil(length / 9));
  return filling.slice(0, length);
}

function answer({ method, params }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'lean', version: '1.0.0' },
      };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return {
        content: [
          {
            type: 'text',
            text: params.name === 'bytes' ? text(params.arguments.length) : String(params.arguments?.message),
          },
        ],
      };
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

const lines = new LineSplitter((line) => {
  const message = JSON.parse(line.toString('utf8'));
  if (message.id === undefined || message.method === undefined) return;
  const result = answer(message);
  const rest = result ? { result } : { error: { code: -32601, message: 'no such method' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...rest })}\n`);
});
process.stdin.on('data', (chunk) => lines.push(chunk));
process.stdin.on('end', () => process.exit(0));
