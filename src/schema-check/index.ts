export { certainlyMatches, checkAgainst, type Mismatch } from './check-value.js';
export { type CorrectedArguments, correctedArguments, nearestArguments } from './correct-arguments.js';
export { exampleOf } from './examples/schema-example.js';
export { signatureOf } from './tool-signature.js';
