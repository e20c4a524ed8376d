export { certainlyMatches, checkAgainst, type Mismatch } from './check-value.js';
export { exampleOf } from './examples/schema-example.js';
