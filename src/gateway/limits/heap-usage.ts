/** The used and the maximum size of the heap, in bytes. */
export interface Heap {
  readonly used: number;
  readonly limit: number;
}

/** V8's limit includes the young generation, which is a separate space: three times its semi-space of 16 MB. */
const YOUNG_BYTES = 48 * 1024 * 1024;

/**
 * Measures the old generation, which is the part that runs full: young objects are collected all the time, and a small
 * heap runs out of memory long before it reaches the limit that V8 reports.
 */
export async function heapOfProcess(): Promise<() => Heap> {
  const { getHeapSpaceStatistics, getHeapStatistics } = await import('node:v8');
  return () => {
    const whole = getHeapStatistics().heap_size_limit;
    const old = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.startsWith('new_'));
    return {
      used: old.reduce((sum, space) => sum + space.space_used_size, 0),
      limit: Math.max(whole - YOUNG_BYTES, whole / 2),
    };
  };
}
