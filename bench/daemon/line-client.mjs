import { createInterface } from 'node:readline';

/** An MCP client over a pair of streams, one JSON message per line. */
export class LineClient {
  #waiting = new Map();
  #next = 0;
  #output;

  constructor(input, output) {
    this.#output = output.on('error', () => undefined);
    createInterface({ input }).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.method === 'ping') this.#say({ id: message.id, result: {} });
      if (message.method !== undefined) return;
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  request(method, params = {}) {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#say({ id, method, params });
    });
  }

  async hello() {
    const clientInfo = { name: 'bench', version: '1' };
    await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.#say({ method: 'notifications/initialized' });
    return this;
  }

  execute(server, message) {
    const given = { server, tool: 'echo', arguments: { message } };
    return this.request('tools/call', { name: 'execute_tool', arguments: given });
  }

  #say(message) {
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
