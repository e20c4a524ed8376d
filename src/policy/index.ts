export { type Fingerprint, fingerprint } from './fingerprint.js';
