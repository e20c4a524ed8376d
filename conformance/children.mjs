import { spawn } from 'node:child_process';

const living = new Set();
// Ends every started process when this process ends, however it ends.
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

/** Like `spawn`, but the process is ended with this one. */
export function start(command, args, options) {
  const child = spawn(command, args, options);
  living.add(child);
  child.once('exit', () => living.delete(child));
  return child;
}
