import { createInterface } from 'node:readline';
import { start } from './children.mjs';

const ANSWER_MS = 30_000;
const END_MS = 5_000;
const MAX_STDERR = 10_000;

/** A value that a schema accepts: its default, its first choice, or the simplest of its type. */
export function valueFor(schema = {}) {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  const [choice] = schema.enum ?? schema.oneOf ?? schema.anyOf ?? [];
  if (choice !== undefined) return typeof choice === 'object' ? valueFor(choice) : choice;
  switch (schema.type) {
    case 'number':
    case 'integer':
      return 2;
    case 'boolean':
      return true;
    case 'array':
      return schema.items ? [valueFor(schema.items)] : [];
    case 'object':
      return valuesFor(schema, schema.required ?? []);
    default:
      return 'value';
  }
}

/** One value for each of the names. */
export function valuesFor({ properties = {} } = {}, names = Object.keys(properties)) {
  return Object.fromEntries(names.map((name) => [name, valueFor(properties[name])]));
}

/** The responses of a user and a model that accept every request of a server. */
function reply({ method, params }) {
  switch (method) {
    case 'elicitation/create':
      return { action: 'accept', content: valuesFor(params.requestedSchema) };
    case 'sampling/createMessage':
      return { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'none', stopReason: 'endTurn' };
    case 'roots/list':
      return { roots: [{ uri: 'file:///test/root', name: 'Test Root' }] };
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

/** A minimal client of the `initialize` generation, so that only the gateway is tested. */
export class LineClient {
  #child;
  #waiting = new Map();
  #nextId = 1;
  stderr = '';

  constructor(args, { env, cwd }) {
    this.#child = start(process.execPath, args, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.setEncoding('utf8').on('data', (chunk) => {
      this.stderr = `${this.stderr}${chunk}`.slice(-MAX_STDERR);
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(JSON.parse(line)));
    this.ended = new Promise((resolve) => this.#child.once('close', resolve));
    this.ended.then(() => {
      for (const give of this.#waiting.values()) give({ error: { code: 0, message: `it ended: ${this.stderr}` } });
    });
  }

  /** The complete response, result or error; a missing response is an error too. */
  request(method, params = {}) {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      const give = (answer) => {
        clearTimeout(limit);
        this.#waiting.delete(id);
        resolve(answer);
      };
      const limit = setTimeout(() => give({ error: { code: 0, message: `no answer to ${method}` } }), ANSWER_MS);
      this.#waiting.set(id, give);
      this.#send({ id, method, params });
    });
  }

  async initialize() {
    const answer = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {}, sampling: {}, roots: {} },
      clientInfo: { name: 'conformance-client', version: '1.0.0' },
    });
    if (answer.result) this.#send({ method: 'notifications/initialized' });
    return answer;
  }

  async end() {
    this.#child.stdin.end();
    const limit = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await this.ended;
    clearTimeout(limit);
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #receive(message) {
    if (message.method === undefined) {
      this.#waiting.get(message.id)?.(message);
    } else if (message.id !== undefined) {
      const result = reply(message);
      const error = { code: -32601, message: 'Method not found' };
      this.#send({ id: message.id, ...(result ? { result } : { error }) });
    }
  }
}
