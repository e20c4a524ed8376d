import type { Program } from '../../src/cli/run-command.js';

const refused = () => Promise.reject(new Error('nobody asked for a gateway'));

/** For commands that need no gateway: whoever asks for one fails. */
export const NO_GATEWAY: Pick<Program, 'serve' | 'open'> = {
  serve: { stdio: refused, http: refused, socket: refused, environment: {} },
  open: refused,
};
