import type { Execution } from './audit/index.js';
import type { GatewayParts } from './parts.js';

/** A call that has ended, one way or the other. */
interface Ended {
  readonly execution: Execution;
  /** The server that answered, by its name. */
  readonly served: string | undefined;
}

/** What is left to do when a call has ended. Whoever waits for the answer has no use for it: the answer goes first. */
export class Afterwards {
  readonly #parts: Pick<GatewayParts, 'audit' | 'uses'>;
  #ended: Ended[] = [];

  constructor(parts: Pick<GatewayParts, 'audit' | 'uses'>) {
    this.#parts = parts;
  }

  do(execution: Execution, served: string | undefined): void {
    if (this.#ended.length === 0) setImmediate(() => this.#all());
    this.#ended.push({ execution, served });
  }

  #all(): void {
    const all = this.#ended;
    this.#ended = [];
    for (const { execution, served } of all) {
      const { client, tool, outcome } = execution;
      this.#parts.audit.record(execution);
      if (outcome === 'ok' && served !== undefined) this.#parts.uses.worked(client, served, tool);
    }
  }
}
