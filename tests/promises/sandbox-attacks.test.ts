import { attackSuite } from '../sandbox/attack-suite.js';

// Apart from the others because it takes minutes; bubblewrap, which takes one, is in tests/sandbox/attacks.test.ts.
await attackSuite(['pyodide', 'deno']);
