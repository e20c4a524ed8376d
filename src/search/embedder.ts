/** Whoever brings a model: texts in, one vector of a fixed length for each out. It may be slow, since no search waits for it. */
export interface Embedder {
  embed(texts: readonly string[]): Promise<readonly ArrayLike<number>[]>;
}

/** A model on the same thread blocks everything else for as long as a batch takes. */
const BATCH = 8;
const BATCH_LIMIT_MS = 30_000;
const MAX_TOOLS = 20_000;
const MAX_NEEDS = 256;
const MAX_TEXT = 300;
const MAX_DIMENSIONS = 4_096;
/** A model that fails this often in a row is left alone. */
const MAX_FAILURES = 3;

/** A vector in bytes, of length 127 or so. */
type Vector = Int8Array;

/** Has vectors made in the background, of tools and of needs, and knows those that are there. */
export class Vectors<Tool extends object> {
  readonly #embedder: Embedder;
  readonly #tools = new WeakMap<Tool, Vector>();
  readonly #needs = new Map<string, Vector | undefined>();
  /** Needs first: somebody is asking. */
  #waitingNeeds: string[] = [];
  #waitingTools: { readonly tool: Tool; readonly text: string }[] = [];
  #failures = 0;
  #working: Promise<void> | undefined;

  constructor(embedder: Embedder) {
    this.#embedder = embedder;
  }

  /** Asks for a tool's vector; past the limit a tool has none and is found by its words. */
  wantTool(tool: Tool, text: string): void {
    if (this.#waitingTools.length >= MAX_TOOLS) return;
    this.#waitingTools.push({ tool, text: text.slice(0, MAX_TEXT) });
    this.#work();
  }

  /** The vector of a need if it is there; if not, the next to ask the same will have it. */
  #ofNeed(need: string): Vector | undefined {
    const text = need.slice(0, MAX_TEXT);
    if (this.#needs.has(text)) return this.#needs.get(text);
    const oldest = this.#needs.keys().next().value;
    if (this.#needs.size >= MAX_NEEDS && oldest !== undefined) this.#needs.delete(oldest);
    this.#needs.set(text, undefined);
    this.#waitingNeeds = [...this.#waitingNeeds.slice(1 - MAX_NEEDS), text];
    this.#work();
    return undefined;
  }

  /** The cosine of each tool with a need, once both have vectors. */
  cosinesWith(need: string): ((tool: Tool) => number | undefined) | undefined {
    const asked = this.#ofNeed(need);
    if (!asked) return undefined;
    return (tool) => {
      const vector = this.#tools.get(tool);
      return vector && cosine(asked, vector);
    };
  }

  /** Settles when nothing is left to be made. */
  async idle(): Promise<void> {
    await this.#working;
  }

  #work(): void {
    if (this.#failures >= MAX_FAILURES) return;
    this.#working ??= this.#makeAll().finally(() => {
      this.#working = undefined;
    });
  }

  async #makeAll(): Promise<void> {
    // Not in the turn of whoever asked.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#failures < MAX_FAILURES) {
      const needs = this.#waitingNeeds.splice(0, BATCH);
      const tools = needs.length > 0 ? [] : this.#waitingTools.splice(0, BATCH);
      if (needs.length + tools.length === 0) return;
      const vectors = await this.#embed([...needs, ...tools.map(({ text }) => text)]);
      needs.forEach((need, at) => {
        const vector = vectors[at];
        if (vector) this.#needs.set(need, vector);
        else this.#needs.delete(need);
      });
      tools.forEach(({ tool }, at) => {
        const vector = vectors[at];
        if (vector) this.#tools.set(tool, vector);
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #embed(texts: readonly string[]): Promise<readonly (Vector | undefined)[]> {
    try {
      const made = await withLimit(this.#embedder.embed(texts), BATCH_LIMIT_MS);
      this.#failures = 0;
      return texts.map((_, at) => toVector(made[at]));
    } catch {
      // Without the model a search is as good as one without a model; there is nobody to tell of it here.
      this.#failures += 1;
      return [];
    }
  }
}

async function withLimit<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the embedder took too long')), milliseconds);
    timer.unref();
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function toVector(made: ArrayLike<number> | undefined): Vector | undefined {
  if (!made || made.length === 0 || made.length > MAX_DIMENSIONS) return undefined;
  let sum = 0;
  for (let at = 0; at < made.length; at += 1) sum += (made[at] ?? 0) ** 2;
  if (!(sum > 0 && Number.isFinite(sum))) return undefined;
  let largest = 0;
  for (let at = 0; at < made.length; at += 1) largest = Math.max(largest, Math.abs(made[at] ?? 0));
  return Int8Array.from({ length: made.length }, (_, at) => Math.round(((made[at] ?? 0) / largest) * 127));
}

/** The cosine of two vectors; 0 for such as do not fit. */
function cosine(a: Vector, b: Vector): number {
  if (a.length !== b.length) return 0;
  let dot = 0;
  let lengthA = 0;
  let lengthB = 0;
  for (let at = 0; at < a.length; at += 1) {
    const x = a[at] ?? 0;
    const y = b[at] ?? 0;
    dot += x * y;
    lengthA += x * x;
    lengthB += y * y;
  }
  return dot / Math.sqrt(lengthA * lengthB || 1);
}
