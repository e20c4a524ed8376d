import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 50;

/**
 * Waits until one of the places in a directory is free, and keeps it until this process ends. The suite starts its
 * client scenarios all at once, and two dozen gateways starting together on a small machine only measure the machine.
 */
export async function takeTurn(folder, places) {
  for (;;) {
    for (let n = 0; n < places; n += 1) {
      const place = join(folder, String(n));
      try {
        mkdirSync(place); // the one thing on every system that only one can do
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
