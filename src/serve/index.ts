export { instructions, type MetaTool, metaTools } from './meta-tools.js';
export type { Session } from './session.js';
export { serveStdio } from './stdio.js';
