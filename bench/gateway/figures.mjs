/** The value below which `share` of the samples lie; undefined without samples. */
export function quantile(samples, share) {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export const median = (samples) => quantile(samples, 0.5);

/** The median of the ratios of two lists, element by element: both were measured at the same time. */
export const pairedRatio = (samples, base) =>
  median(samples.slice(0, base.length).map((value, at) => value / base[at]));

/** Each round begins with another contender, so that none always runs after the same one. */
export function rotated(list, by) {
  const at = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

/** The measurements that failed, with the reason, each listed once. */
export class Notes {
  #lines = new Set();

  add(who, error) {
    const why = error instanceof Error ? error.message : String(error);
    this.#lines.add(`${who}: ${why.replaceAll(/\s+/g, ' ').slice(0, 300)}`);
  }

  get lines() {
    return [...this.#lines];
  }
}
