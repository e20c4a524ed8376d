/** How much of the heap is used, in bytes. */
export interface Heap {
  readonly used: number;
  readonly limit: number;
}

/** What V8 counts into its limit for young objects, which live elsewhere: three times its half of 16 MB. */
const YOUNG_BYTES = 48 * 1024 * 1024;

/**
 * The part of this process's heap that runs full. Young objects come and go by the million and are no sign of it, and
 * a small heap dies long before it has used what V8 calls its limit.
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
