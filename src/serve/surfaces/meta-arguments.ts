import { ErrorCode, isObject, PortolanError, readJson } from '../../base/index.js';
import type { ToolCall } from '../../gateway/index.js';

const MAX_LIMIT = 100;
/** The number of calls in one request. */
const MAX_CALLS = 20;

/** The arguments of a meta-tool. Each function reads one field, or throws an error that the model can fix. */
export class MetaArguments {
  readonly #tool: string;
  readonly #values: Readonly<Record<string, unknown>>;
  /** Names the object in which a field is missing or wrong. */
  readonly #path: string;

  constructor(tool: string, values: Readonly<Record<string, unknown>>, path = '') {
    this.#tool = tool;
    this.#values = values;
    this.#path = path;
  }

  static of(tool: string, given: unknown): MetaArguments {
    if (given !== undefined && given !== null && !isObject(given)) throw wrong(tool, 'arguments must be an object');
    return new MetaArguments(tool, isObject(given) ? given : {});
  }

  text(name: string): string {
    const value = this.#own(name);
    if (typeof value === 'string' && value !== '') return value;
    const field = `${this.#path}${name}`;
    if (value === '') throw wrong(this.#tool, `${field} is empty`);
    throw wrong(this.#tool, value === undefined ? `${field} is missing` : `${field} must be a string`);
  }

  flag(name: string, standard = false): boolean {
    const value = this.#own(name) ?? standard;
    if (typeof value === 'boolean') return value;
    throw wrong(this.#tool, `${name} must be true or false`);
  }

  /** One need per line; also accepts an array, which some models send. */
  query(): string | readonly string[] {
    const value = this.#own('query');
    if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')) return value;
    return this.text('query');
  }

  server(): { server?: string } {
    const value = this.#own('server');
    return value === undefined || value === null || value === '' ? {} : { server: this.text('server') };
  }

  limit(): { limit?: number } {
    const value = this.#own('limit');
    if (value === undefined || value === null) return {};
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1)
      return { limit: Math.min(value, MAX_LIMIT) };
    throw wrong(this.#tool, 'limit must be an integer of at least 1');
  }

  /** An empty list means no servers; also accepts a single name, which some models send. */
  servers(): { servers?: readonly string[] } {
    const value = this.#own('servers');
    if (value === undefined || value === null) return {};
    if (typeof value === 'string' && value !== '') return { servers: [value] };
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return { servers: value };
    throw wrong(this.#tool, 'servers must be an array of server names');
  }

  timeout(): { timeoutSeconds?: number } {
    const value = this.#own('timeout');
    if (value === undefined || value === null) return {};
    if (typeof value === 'number' && value > 0) return { timeoutSeconds: value };
    throw wrong(this.#tool, 'timeout must be a number of seconds greater than 0');
  }

  toolCall(): ToolCall {
    return { server: this.text('server'), tool: this.text('tool'), toolArguments: this.toolArguments() };
  }

  /** Several calls; undefined if there is no such argument. `server` is the default for those that name none. */
  calls(): readonly ToolCall[] | undefined {
    const given = this.#parsed('calls');
    if (given === undefined || given === null) return undefined;
    if (!isEmpty(this.#own('tool'))) throw wrong(this.#tool, 'tool and calls exclude each other: send one of them');
    if (!isEmpty(this.#own('arguments')))
      throw wrong(this.#tool, 'arguments and calls exclude each other: each call has its own arguments');
    if (!Array.isArray(given) || given.length === 0 || given.length > MAX_CALLS)
      throw wrong(this.#tool, `calls must be an array of 1 to ${MAX_CALLS} calls`);
    const { server } = this.server();
    return given.map((one, index) => {
      const path = `calls[${index}]`;
      if (!isObject(one)) throw wrong(this.#tool, `${path} must be an object with server, tool and arguments`);
      const named = isEmpty(one.server) ? { ...one, server } : one;
      return new MetaArguments(this.#tool, named, `${path}.`).toolCall();
    });
  }

  /** Also accepts the object as JSON text, which some models send. */
  toolArguments(): unknown {
    const value = (this.#own('arguments') ?? undefined) === undefined ? {} : this.#parsed('arguments');
    if (isObject(value)) return value;
    throw wrong(this.#tool, `${this.#path}arguments must be an object`);
  }

  /** A field; parsed if it is JSON text. */
  #parsed(name: string): unknown {
    const value = this.#own(name);
    if (typeof value !== 'string') return value;
    try {
      return readJson(value);
    } catch (error) {
      if (error instanceof PortolanError) throw error;
      return value;
    }
  }

  #own(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }
}

function wrong(tool: string, what: string): PortolanError {
  return new PortolanError(ErrorCode.ToolValidationError, `${tool}: ${what}`, {
    hint: `see the input schema of ${tool} in tools/list`,
  });
}

/** Models send empty values for arguments that they do not use. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (isObject(value) && Object.keys(value).length === 0);
}
