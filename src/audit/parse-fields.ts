/** Parses a JSON object; undefined for other text. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // torn or forged: the caller reports the line
  }
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

export function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

export function textField(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Clocks that were set back give negative durations, which the format does not allow. */
export function atLeastZero(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
