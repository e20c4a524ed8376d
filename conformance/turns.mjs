import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 50;

/**
 * Waits until one of the slots in a directory is free, and holds it until this process ends. The suite starts all
 * client scenarios at once, and two dozen gateways that start together on a small machine would only measure the
 * machine.
 */
export async function takeTurn(folder, places) {
  for (;;) {
    for (let n = 0; n < places; n += 1) {
      const place = join(folder, String(n));
      try {
        mkdirSync(place); // atomic on every system: only one process can create it
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
        continue;
      }
      process.once('exit', () => rmdirSync(place));
      return;
    }
    await pause(LOOK_MS);
  }
}
