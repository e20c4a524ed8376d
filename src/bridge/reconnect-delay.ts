/** The timer and random source of reconnection; tests replace them. */
export interface ReconnectWait {
  /** At least 0 and less than 1. */
  readonly random: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

export const WAITING: ReconnectWait = {
  random: Math.random,
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

const LONGEST_DELAY_MS = 30_000;

/**
 * The delay before an attempt (counted from 1). Its limit doubles each time, and full jitter keeps many clients from
 * connecting at the same moment.
 */
export function reconnectDelay(attempt: number, initialDelayMs: number, random: () => number): number {
  return random() * Math.min(LONGEST_DELAY_MS, initialDelayMs * 2 ** (attempt - 1));
}
