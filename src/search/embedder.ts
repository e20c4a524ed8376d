/** A model that turns each text into a vector of a fixed length. It may be slow: a search does not wait for it. */
export interface Embedder {
  embed(texts: readonly string[]): Promise<readonly ArrayLike<number>[]>;
  /** Whether the model is loaded; without this, it is. */
  readonly isReady?: boolean;
  /** Tools wait this long for their vectors, so that the model does not slow down a start. */
  readonly startAfterMs?: number;
}

/** Stores the vectors of tools, by the text that the model read. */
export interface VectorCache {
  get(text: string): Int8Array | undefined;
  put(text: string, vector: Int8Array): void;
}

/** A need waits for the batch that is being computed. */
const BATCH = 2;
const BATCH_LIMIT_MS = 30_000;
const MAX_TOOLS = 20_000;
const MAX_NEEDS = 256;
const MAX_TEXT = 300;
const MAX_DIMENSIONS = 4_096;
/** A model that fails this often in a row is not asked again. */
const MAX_FAILURES = 3;

/** A vector in bytes, and its length. */
interface Vector {
  readonly components: Int8Array;
  readonly length: number;
}

/** Computes the vectors of tools and needs in the background, and keeps those that are finished. */
export class Vectors<Tool extends object> {
  readonly #embedder: Embedder;
  readonly #cache: VectorCache | undefined;
  readonly #tools = new WeakMap<Tool, Vector>();
  readonly #needs = new Map<string, Vector | undefined>();
  /** Needs come first, because a client waits for the answer. */
  #waitingNeeds: string[] = [];
  #waitingTools: { readonly tool: Tool; readonly text: string }[] = [];
  #settled: (() => void)[] = [];
  #failures = 0;
  #working: Promise<void> | undefined;
  #start: Promise<void> | undefined;

  constructor(embedder: Embedder, cache?: VectorCache) {
    this.#embedder = embedder;
    this.#cache = cache;
  }

  /** Asks for the vector of a tool. Beyond the limit a tool has none and is found by its words. */
  wantTool(tool: Tool, long: string): void {
    const text = long.slice(0, MAX_TEXT);
    const known = this.#cache?.get(text);
    if (known) this.#tools.set(tool, withLength(known));
    else if (this.#waitingTools.length < MAX_TOOLS) {
      this.#waitingTools.push({ tool, text });
      this.#start ??= after(this.#embedder.startAfterMs).then(() => this.#work());
    }
  }

  /** Settles when the vectors of these needs are there; at once if the model is not loaded, unless `isPatient`. */
  async ready(needs: readonly string[], isPatient: boolean): Promise<void> {
    const missing = needs.filter((need) => !this.#ofNeed(need));
    if (missing.length === 0 || (this.#embedder.isReady === false && !isPatient)) return;
    if (this.#failures < MAX_FAILURES) await new Promise<void>((resolve) => this.#settled.push(resolve));
  }

  /** The vector of a need if it is finished. Otherwise the next search for it has it. */
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

  /** The cosine of each tool with a need, if both have vectors. */
  cosinesWith(need: string): ((tool: Tool) => number | undefined) | undefined {
    const asked = this.#ofNeed(need);
    if (!asked) return undefined;
    return (tool) => {
      const vector = this.#tools.get(tool);
      return vector && cosine(asked, vector);
    };
  }

  /** Settles when no vector is left to compute. */
  async idle(): Promise<void> {
    await this.#start;
    await this.#working;
  }

  #work(): void {
    if (this.#failures >= MAX_FAILURES) return;
    this.#working ??= this.#computeAll().finally(() => {
      this.#working = undefined;
      for (const resolve of this.#settled.splice(0)) resolve();
    });
  }

  async #computeAll(): Promise<void> {
    // Not before the caller has finished.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#failures < MAX_FAILURES) {
      const needs = this.#waitingNeeds.splice(0, BATCH);
      const tools = needs.length > 0 ? [] : this.#nextTools();
      if (needs.length + tools.length === 0) return;
      const vectors = await this.#embed([...needs, ...tools.map(({ text }) => text)]);
      needs.forEach((need, at) => {
        const vector = vectors[at];
        if (vector) this.#needs.set(need, vector);
        else this.#needs.delete(need);
      });
      tools.forEach(({ tool, text }, at) => {
        const vector = vectors[at];
        if (!vector) return;
        this.#tools.set(tool, vector);
        this.#cache?.put(text, vector.components);
      });
      if (this.#waitingNeeds.length === 0) for (const resolve of this.#settled.splice(0)) resolve();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The next tools whose vectors no other index has computed meanwhile. */
  #nextTools(): readonly { readonly tool: Tool; readonly text: string }[] {
    const next: { readonly tool: Tool; readonly text: string }[] = [];
    while (next.length < BATCH) {
      const one = this.#waitingTools.shift();
      if (!one) break;
      const known = this.#cache?.get(one.text);
      if (known) this.#tools.set(one.tool, withLength(known));
      else next.push(one);
    }
    if (this.#waitingTools.length === 0) this.#start = undefined;
    return next;
  }

  async #embed(texts: readonly string[]): Promise<readonly (Vector | undefined)[]> {
    try {
      const vectors = await withLimit(this.#embedder.embed(texts), BATCH_LIMIT_MS);
      this.#failures = 0;
      return texts.map((_, at) => toVector(vectors[at]));
    } catch {
      // Without the model the search still works by words, so the error is not reported.
      this.#failures += 1;
      return [];
    }
  }
}

async function after(milliseconds = 0): Promise<void> {
  if (milliseconds > 0) await new Promise<void>((resolve) => setTimeout(resolve, milliseconds).unref());
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
  return withLength(Int8Array.from({ length: made.length }, (_, at) => Math.round(((made[at] ?? 0) / largest) * 127)));
}

function withLength(components: Int8Array): Vector {
  return { components, length: Math.hypot(...components) };
}

/** The cosine of two vectors; 0 if they do not have the same number of components. */
function cosine({ components: a, length }: Vector, { components: b, length: other }: Vector): number {
  if (a.length !== b.length) return 0;
  let dot = 0;
  for (let at = 0; at < a.length; at += 1) dot += (a[at] ?? 0) * (b[at] ?? 0);
  return dot / (length * other || 1);
}
