import { ErrorCode, PortolanError } from '../../src/base/index.js';
import type { Capability, HostCall, JobServer, JobTool } from '../../src/sandbox/index.js';

const tool = (name: string, properties: readonly string[] = [], description = '', alias = name): JobTool => ({
  name,
  alias,
  description,
  input_schema: { type: 'object', properties: Object.fromEntries(properties.map((one) => [one, {}])) },
});

/** Two servers: a shop with every kind of result, and notes. */
export const SERVERS: readonly JobServer[] = [
  {
    name: 'shop',
    alias: 'shop',
    description: 'things to buy',
    tools: [
      tool('list_items', ['page', 'per_page'], 'items, page by page'),
      tool('get_item', ['id'], 'one item'),
      tool('describe', ['id']),
      tool('count'),
      tool('huge'),
      tool('blocks', ['kind']),
      tool('picture'),
      tool('nothing'),
      tool('fail', ['message']),
      tool('refuse'),
      tool('flaky', ['key']),
      tool('slow', ['ms']),
      tool('echo'),
      tool('big', ['rows']),
      tool('import', ['from', 'max-rows'], '', 'import_'),
      tool('deep'),
      tool('secret-fault', [], '', 'secret_fault'),
    ],
  },
  { name: 'my-notes', alias: 'my_notes', tools: [tool('add', ['title', 'text']), tool('find', ['query'])] },
];

const COUNT = 10;
const item = (id: number) => ({ id, name: `item ${id}`, price: id * 10, stock: id % 9 });
const text = (...parts: string[]) => ({ content: parts.map((part) => ({ type: 'text', text: part })) });
const failed = (message: string) => ({ ...text(message), isError: true });

/** Implements the tools for one run, with the state of the run. */
export function shopTools(): Capability {
  const tries = new Map<unknown, number>();
  const notes: Record<string, unknown>[] = [];
  const memories = new Map<unknown, unknown>();
  return async (request, signal) => {
    if (request.kind === 'runtime') return runtime(request, memories);
    const given = request.arguments;
    const id = Number(given.id);
    switch (request.tool) {
      case 'list_items': {
        const [page, size] = [Number(given.page), Number(given.per_page)];
        const all = Array.from({ length: COUNT }, (_, n) => item(n + 1));
        const items = all.slice((page - 1) * size, page * size);
        return { content: [], structuredContent: { items, more: page * size < COUNT } };
      }
      case 'get_item':
        return id >= 1 && id <= COUNT ? text(JSON.stringify(item(id))) : failed(`no item ${id}`);
      case 'describe':
        return text(`item ${id}: a fine thing`);
      case 'count':
        return text(String(COUNT));
      case 'huge':
        return text('12345678901234567890');
      case 'blocks':
        return given.kind === 'json' ? text('{"n":1}', '{"n":2}') : text('one', 'two');
      case 'picture':
        return { content: [{ type: 'image', mimeType: 'image/png', data: 'AA==' }] };
      case 'nothing':
        return { content: [] };
      case 'fail':
        return failed(String(given.message));
      case 'refuse':
        throw new PortolanError(ErrorCode.ToolDisabled, 'refuse is switched off', { hint: 'ask the owner' });
      case 'flaky': {
        const count = (tries.get(given.key) ?? 0) + 1;
        tries.set(given.key, count);
        return count < 3 ? failed('try again') : text('done');
      }
      case 'slow':
        await pause(Number(given.ms), signal);
        return text('slow');
      case 'big':
        return text(JSON.stringify(Array.from({ length: Number(given.rows) }, (_, v) => ({ k: `k${v}`, v }))));
      case 'deep':
        return { structuredContent: JSON.parse('['.repeat(3000) + ']'.repeat(3000)) };
      case 'secret-fault':
        throw new Error('the password is hunter2');
      case 'add':
        notes.push(given);
        return text('ok');
      case 'find':
        return {
          content: [],
          structuredContent: notes.filter((note) => String(note.title).includes(String(given.query))),
        };
      default:
        return text(JSON.stringify(given));
    }
  };
}

function runtime(request: Extract<HostCall, { kind: 'runtime' }>, memories: Map<unknown, unknown>): unknown {
  const given = request.arguments;
  switch (request.name) {
    case 'discovered_servers':
      return SERVERS.map(({ name }) => (given.detailed === true ? { name } : name));
    case 'list_servers':
      return SERVERS.map(({ name, description }) => ({ name, description }));
    case 'list_tools':
      return SERVERS.find(({ name }) => name === given.server)?.tools.map(({ name }) => ({ name }));
    case 'capability_summary':
      return `${SERVERS.length} servers`;
    case 'search_tool_docs':
      return [given];
    case 'query_tool_docs':
      return given;
    case 'save_memory':
    case 'update_memory':
      memories.set(given.key, given.value);
      return true;
    case 'load_memory':
      return memories.get(given.key) ?? null;
    case 'delete_memory':
      return memories.delete(given.key);
    case 'list_memories':
      return [...memories.keys()].map((key) => ({ key }));
    case 'memory_exists':
      return memories.has(given.key);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
