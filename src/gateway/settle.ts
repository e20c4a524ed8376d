import type { CatalogEntry } from '../catalog/index.js';
import type { Conversation } from '../model/index.js';

/** Gives servers that nobody has read yet a moment, and says how far that is to whoever wants to know. */
export async function settle(
  readings: readonly Promise<CatalogEntry>[],
  limitMs: number,
  conversation: Conversation | undefined,
): Promise<void> {
  if (readings.length === 0) return;
  let progress = 0;
  let isOver = false;
  const total = readings.length;
  const counted = readings.map(async (reading) => {
    const name = await reading.then(({ server }) => server.name).catch(() => undefined);
    progress += 1;
    // After the answer nobody may be told of the way to it.
    if (!isOver) conversation?.progress?.({ progress, total, ...(name !== undefined && { message: `read ${name}` }) });
  });
  let stop: () => void = () => undefined;
  const enough = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const timer = setTimeout(stop, limitMs);
  conversation?.signal.addEventListener('abort', stop, { once: true });
  await Promise.race([Promise.all(counted), enough]);
  isOver = true;
  conversation?.signal.removeEventListener('abort', stop);
  clearTimeout(timer);
}
