import { afterAll } from 'vitest';
import { tidy } from '../sandbox/installed-engines.js';
import { lifecycleSuite } from '../sandbox/lifecycle-suite.js';
import { programSuite } from '../sandbox/program-suite.js';

afterAll(tidy);

const OTHERS = ['pyodide', 'deno', 'podman', 'docker'] as const;
await programSuite(OTHERS);
await lifecycleSuite(OTHERS);
