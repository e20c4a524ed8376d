import { ErrorCode, isObject, PortolanError, readJson } from '../../base/index.js';

const MAX_LIMIT = 100;

/** The arguments of a meta-tool. Each function reads one field, or throws an error that the model can fix. */
export class MetaArguments {
  readonly #tool: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(tool: string, values: Readonly<Record<string, unknown>>) {
    this.#tool = tool;
    this.#values = values;
  }

  static of(tool: string, given: unknown): MetaArguments {
    if (given !== undefined && given !== null && !isObject(given)) throw wrong(tool, 'arguments must be an object');
    return new MetaArguments(tool, isObject(given) ? given : {});
  }

  text(name: string): string {
    const value = this.#own(name);
    if (typeof value === 'string' && value !== '') return value;
    if (value === '') throw wrong(this.#tool, `${name} is empty`);
    throw wrong(this.#tool, value === undefined ? `${name} is missing` : `${name} must be a string`);
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

  /** Also accepts the object as JSON text, which some models send. */
  toolArguments(): unknown {
    const value = this.#own('arguments') ?? {};
    if (typeof value !== 'string') return this.#objectOr(value);
    try {
      return this.#objectOr(readJson(value));
    } catch (error) {
      if (error instanceof PortolanError) throw error;
      throw wrong(this.#tool, 'arguments must be an object');
    }
  }

  #objectOr(value: unknown): Readonly<Record<string, unknown>> {
    if (isObject(value)) return value;
    throw wrong(this.#tool, 'arguments must be an object');
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
