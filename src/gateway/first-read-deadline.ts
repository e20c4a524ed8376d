import type { CatalogEntry } from '../catalog/index.js';
import type { Conversation } from '../model/index.js';

/** Gives servers that nobody has read yet a moment, once for each reading: one that hangs must not make every answer late. */
export class FirstReadDeadline {
  readonly #spent = new WeakSet<Promise<CatalogEntry>>();

  /** Says how far the readings are to whoever wants to know. */
  async settle(
    readings: readonly Promise<CatalogEntry>[],
    limitMs: number,
    conversation: Conversation | undefined,
  ): Promise<void> {
    const awaited = readings.filter((reading) => !this.#spent.has(reading));
    if (awaited.length === 0) return;
    let progress = 0;
    let isOver = false;
    const total = awaited.length;
    const counted = awaited.map(async (reading) => {
      const name = await reading.then(({ server }) => server.name).catch(() => undefined);
      progress += 1;
      // After the answer nobody may be told of the way to it.
      if (!isOver)
        conversation?.progress?.({ progress, total, ...(name !== undefined && { message: `read ${name}` }) });
    });
    let stop: () => void = () => undefined;
    const enough = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const timer = setTimeout(() => {
      for (const reading of awaited) this.#spent.add(reading);
      stop();
    }, limitMs);
    conversation?.signal.addEventListener('abort', stop, { once: true });
    await Promise.race([Promise.all(counted), enough]);
    isOver = true;
    conversation?.signal.removeEventListener('abort', stop);
    clearTimeout(timer);
  }
}
