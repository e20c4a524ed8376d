export { identityOf, proxyChain } from './identity.js';
export { type Held, settle } from './settle.js';
export { programName, unwrapped } from './unwrap.js';
