import { Client } from '@modelcontextprotocol/client';
import { end, remember } from './processes.mjs';

/**
 * The client that most programs use, with the same interface as the lean one. Ratios are measured with this client,
 * because with a client that costs nothing every additional pipe would be a large factor.
 */
export class SdkClient {
  #client = new Client({ name: 'portolan-bench', version: '1.0.0' });
  #launch;
  #place;
  #transport;

  constructor(launch, place) {
    this.#launch = launch;
    this.#place = place;
  }

  get home() {
    return this.#place.env.HOME;
  }

  async request(method, params, timeout) {
    switch (method) {
      case 'initialize':
        return this.#open(timeout);
      case 'tools/list':
        return this.#client.listTools(params, { timeout });
      case 'tools/call':
        return this.#client.callTool(params, { timeout });
      default:
        throw new Error(`the benchmark never asks for ${method}`);
    }
  }

  /** The SDK has done this already. */
  notify() {}

  /** Disconnects as a client does, and ends no other process with the same home. */
  leave() {
    return this.#client.close();
  }

  close() {
    this.#client.close().catch(() => {}); // a process that it cannot close is ended below
    end(this.#transport?.pid, this.home);
  }

  async #open(timeout) {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    this.#transport = new StdioClientTransport({ ...this.#launch, ...this.#place, stderr: 'ignore' });
    await this.#client.connect(this.#transport, { timeout });
    remember(this.#transport.pid, this.home);
  }
}
