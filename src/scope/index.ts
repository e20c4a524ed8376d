export { identityOf, proxyChain } from './identity.js';
export { isPowerless } from './rank.js';
export { addressOf, isRunning, reachedAt } from './running.js';
export { type Held, settle } from './settle.js';
export { programName, unwrapped } from './unwrap.js';
