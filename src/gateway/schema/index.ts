export { checkAgainst, fitsSurely, type Mismatch, type SchemaVerdict } from './check-against.js';
export { exampleOf } from './example.js';
