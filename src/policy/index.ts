export { type AdmittedServer, admit } from './admit.js';
export { decide, type Grounds, stateOf, type Verdict } from './decide.js';
export { type Behaviour, type Fingerprint, fingerprint } from './fingerprint.js';
export { type Folders, isFromRepository } from './repository.js';
export { lastRuling, type Ruling, type Rulings, reviewHash, type Seal, sealOf, shownForm } from './rulings.js';
