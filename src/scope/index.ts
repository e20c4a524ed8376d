export { identityOf } from './identity.js';
export { type Held, settle } from './settle.js';
