import type { Program } from '../../src/cli/run-command.js';

const refused = () => Promise.reject(new Error('this test has no gateway'));

/** For commands that need no gateway. Opening one fails. */
export const NO_GATEWAY: Pick<Program, 'serve' | 'open'> = {
  serve: { stdio: refused, http: refused, socket: refused, environment: {} },
  open: refused,
};
