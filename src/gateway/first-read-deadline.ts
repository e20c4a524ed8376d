import type { CatalogEntry } from '../catalog/index.js';
import type { Conversation } from '../model/index.js';

/** Limits the wait for servers that are read for the first time. Each read is waited for once, so that one that hangs delays one response. */
export class FirstReadDeadline {
  readonly #spent = new WeakSet<Promise<CatalogEntry>>();

  /** Reports the progress of the reads to the client. */
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
      // No progress notification may follow the response.
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
